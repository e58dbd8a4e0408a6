# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Deskew a cloud in a notebook
#
# A lidar needs a tenth of a second for one turn. If the robot moves meanwhile, walls bend and do not close. This page loads a
# cloud with numpy, asks the library what its fields mean, takes the motion out, and plots what has changed.
#
# The cells run in Jupyter, VS Code or Spyder ("percent format"), and as a program:
#
#     python examples/07_deskew_cloud.py [picture.png]
#
# It needs the package `sensortime`, numpy and matplotlib.

# %%
import sys
import tempfile
from pathlib import Path

import matplotlib
import numpy as np

import sensortime as st

PICTURE = Path(sys.argv[1]) if sys.argv[1:] and sys.argv[1].endswith(".png") else Path("deskew_cloud.png")
MS = 1_000_000
START_NS = 1_700_000_000_000_000_000  # header stamp of the scan: its first point

# %% [markdown]
# ## A scan of a robot that turns hard
#
# There is no recording in this folder, so this cell makes one: 32 lasers, 1024 directions, one turn in 100 ms, range noise of
# 8 mm, in a hall with pillars. The robot drives at 2.5 m/s and turns right, faster and faster. The points go to a file as a driver
# would write them; `surface` says which wall was hit, for the measurement at the end.

# %%
HALL = (9.0, 6.0)  # half its length and width [m]
PILLARS = [(-5.5, 3.2), (-5.5, -3.2), (3.5, 3.4), (4.5, -3.0)]
HALF_PILLAR = 0.4
SPEED = 2.5  # [m/s]
NOISE_M, GYRO_NOISE = 0.008, 0.004  # one sigma [m, rad/s]
POINT = np.dtype(
    [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4"), ("ring", "<u2"), ("time", "<f4"), ("surface", "<u1")]
)


def turn_rate(t):
    """[rad/s] at t seconds after the first point."""
    return -1.5 - 16.0 * t


def pose(t):
    """x, y and heading of the robot: a drive with a growing turn rate."""
    grid = np.linspace(-0.1, 0.25, 7001)
    step = grid[1] - grid[0]
    heading = np.concatenate([[0], np.cumsum(turn_rate(grid[:-1] + step / 2)) * step])
    heading -= np.interp(0.0, grid, heading)
    ahead = (heading[:-1] + heading[1:]) / 2
    x = np.concatenate([[0], np.cumsum(np.cos(ahead)) * step * SPEED])
    y = np.concatenate([[0], np.cumsum(np.sin(ahead)) * step * SPEED])
    x, y = x - np.interp(0.0, grid, x), y - np.interp(0.0, grid, y)
    return np.interp(t, grid, x), np.interp(t, grid, y), np.interp(t, grid, heading)


def walls():
    """Segments (constant axis, its value, from, to) of the hall and its pillars."""
    length, width = HALL
    out = [("x", length, -width, width), ("x", -length, -width, width), ("y", width, -length, length), ("y", -width, -length, length)]
    for cx, cy in PILLARS:
        h = HALF_PILLAR
        out += [("x", cx + s * h, cy - h, cy + h) for s in (-1, 1)] + [("y", cy + s * h, cx - h, cx + h) for s in (-1, 1)]
    return out


def make_scan(path, rings=32, columns=1024, seed=7):
    rng = np.random.default_rng(seed)
    column, ring = np.divmod(np.arange(rings * columns), rings)
    t = column * (0.1 / columns) + ring * 1.5e-6
    x, y, heading = pose(t)
    azimuth = -2 * np.pi * column / columns
    elevation = np.deg2rad(np.linspace(-12, 12, rings))[ring]
    c, s = np.cos(heading + azimuth), np.sin(heading + azimuth)
    nearest, surface = np.full(t.size, np.inf), np.zeros(t.size, np.uint8)
    with np.errstate(divide="ignore", invalid="ignore"):
        for number, (axis, value, lo, hi) in enumerate(walls()):
            reach = (value - x) / c if axis == "x" else (value - y) / s
            other = y + reach * s if axis == "x" else x + reach * c
            hit = (reach > 0.3) & (other >= lo) & (other <= hi) & (reach < nearest)
            nearest[hit], surface[hit] = reach[hit], number
    distance = nearest / np.cos(elevation) + rng.normal(0, NOISE_M, t.size)
    points = np.zeros(t.size, POINT)
    flat = distance * np.cos(elevation)
    points["x"], points["y"], points["z"] = flat * np.cos(azimuth), flat * np.sin(azimuth), distance * np.sin(elevation)
    points["intensity"], points["ring"], points["time"], points["surface"] = 100.0, ring, t, surface
    np.save(path, points)
    stamps = START_NS + np.arange(-20, 140, 2) * MS  # an IMU at 500 Hz
    rates = np.zeros((stamps.size, 3))
    rates[:, 2] = turn_rate((stamps - START_NS) * 1e-9)
    return stamps, rates + rng.normal(0, GYRO_NOISE, rates.shape)


folder = tempfile.TemporaryDirectory()
imu_stamps, imu_rates = make_scan(Path(folder.name) / "scan.npy")

# %% [markdown]
# ## Load it, and ask what its fields mean
#
# The array is used where it lies: `PointCloud.from_numpy` copies nothing. The layout says which field is the time, its unit and
# what it counts from, with the evidence.

# %%
points = np.load(Path(folder.name) / "scan.npy", mmap_mode="r")
cloud = st.PointCloud.from_numpy(points, stamp_ns=START_NS)
print(cloud.layout)
print(f"{len(cloud)} points, {cloud.times_ns.max() / MS:.1f} ms from the first to the last")

# %% [markdown]
# ## Take the motion out
#
# Once with one constant twist for the whole scan (what wheel odometry gives), and once with the gyroscope, whose rates follow
# the turn, and the speed. Both bring every point to where it would have been seen at the *end* of the scan.

# %%
middle = turn_rate(0.05)
by_twist = st.deskew(cloud, twist=((SPEED, 0, 0), (0, 0, middle)), reference="end")

plan = st.DeskewPlan()
scan = plan.scan(cloud, "end", max_angular_acceleration=16.0, rate_error=3 * GYRO_NOISE)
plan.from_imu(scan, imu_stamps, imu_rates, velocity=(SPEED, 0, 0))
by_imu = plan.apply(cloud)
bound = by_imu.bound(10.0)
print(f"error bound at 10 m: {1e3 * bound.total_m:.1f} mm, of which {1e3 * bound.motion_m:.1f} mm from the gyroscope's noise")

# %% [markdown]
# ## How straight are the walls?
#
# A plane is fitted to the points of each wall; what is left over is the error. Range noise alone leaves 8 mm or less.


# %%
def plane_error(xyz, surfaces):
    """RMS distance of the points to the plane through their wall's points [m]."""
    squares, count = 0.0, 0
    for number in np.unique(surfaces):
        of_wall = xyz[surfaces == number]
        if len(of_wall) > 50:
            centred = of_wall - of_wall.mean(axis=0)
            normal = np.linalg.svd(centred, full_matrices=False)[2][2]
            squares, count = squares + float(((centred @ normal) ** 2).sum()), count + len(of_wall)
    return (squares / count) ** 0.5


results = {
    "as measured": np.stack(cloud.xyz, 1).astype(float),
    "one twist": np.stack(by_twist.xyz, 1).astype(float),
    "gyroscope and speed": np.stack(by_imu.xyz, 1).astype(float),
}
errors = {name: plane_error(xyz, points["surface"]) for name, xyz in results.items()}
for name, error in errors.items():
    print(f"{name:20s} RMS plane error {1e3 * error:6.1f} mm")

# %% [markdown]
# ## Look at it
#
# From above; the colour is the time within the scan, and the dashes are the hall as it stands when the scan ends. Where the
# first and the last ray meet, the measured wall has a kink (the enlarged part).

# %%
if "ipykernel" not in sys.modules:
    matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)

x_end, y_end, heading_end = pose(float(points["time"].max()))
end = st.Pose(st.conventions.from_rpy(0, 0, float(heading_end)), (float(x_end), float(y_end), 0))


def outline():
    """The walls, seen from where the robot is when the scan ends."""
    for axis, value, lo, hi in walls():
        ends = [[value, lo, 0.0], [value, hi, 0.0]] if axis == "x" else [[lo, value, 0.0], [hi, value, 0.0]]
        yield (~end).apply(ends)[:, :2].T


def draw(axis, xyz, size):
    for line in outline():
        axis.plot(*line, color="#9a9a9a", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    dots = axis.scatter(*xyz[shown, :2].T, c=milliseconds, s=size, cmap="plasma", vmin=0, vmax=100, linewidths=0, zorder=2)
    axis.set_aspect("equal")
    for side in axis.spines.values():
        side.set_color("#bbb")
    return dots


plt.rcParams.update({"font.family": "sans-serif", "font.size": 9, "axes.titlesize": 10})
shown = (points["ring"] == 15) | (points["ring"] == 16)
milliseconds = cloud.times_ns[shown] / MS
figure, axes = plt.subplots(1, 3, figsize=(11.6, 4.1), sharex=True, sharey=True, layout="constrained")
for axis, (name, xyz) in zip(axes, results.items()):
    dots = draw(axis, xyz, 2.6)
    axis.plot(0, 0, marker=(3, 0, -90), color="#222", markersize=7, linestyle="none")
    axis.set_title(f"{name}\nwalls straight to {1e3 * errors[name]:.0f} mm RMS", linespacing=1.5)
    axis.set(xlim=(-11.9, 11.9), ylim=(-9.4, 9.4), xlabel="x [m]")
    axis.tick_params(length=0, colors="#666")
    axis.xaxis.label.set_color("#444")
    inset = axis.inset_axes([0.275, 0.33, 0.19, 0.36])
    draw(inset, xyz, 5)
    inset.set(xlim=(7.6, 9.6), ylim=(-1.9, 1.6), xticks=[], yticks=[])
    axis.indicate_inset_zoom(inset, edgecolor="#888", alpha=0.8)
axes[0].set_ylabel("y [m]", color="#444")
bar = figure.colorbar(dots, ax=axes, shrink=0.8, pad=0.01, ticks=[0, 25, 50, 75, 100])
bar.set_label("time within the scan [ms]", color="#444")
bar.ax.tick_params(length=0, colors="#666")
bar.outline.set_visible(False)
PICTURE.parent.mkdir(parents=True, exist_ok=True)
figure.savefig(PICTURE, dpi=110)
print(f"wrote {PICTURE}")

# %%
assert errors["gyroscope and speed"] < 0.009 < errors["one twist"] < errors["as measured"]
folder.cleanup()
