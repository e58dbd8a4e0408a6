/* SPDX-License-Identifier: BSD-3-Clause */
#include "deskew_peer.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace
{

struct rigid {
    Quaterniond q;
    Vector3d t;
};

/* Exponential of SE(3) as the usual Lie group libraries do it: quaternion of the half angle, V from the angle. */
rigid exp_se3(const Vector3d &v, const Vector3d &w)
{
    const double theta2 = w.squaredNorm();
    const double theta = std::sqrt(theta2);
    Matrix3d hat;
    hat << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
    rigid out;
    if (theta < 1e-10) {
        out.q = Quaterniond(1, 0.5 * w.x(), 0.5 * w.y(), 0.5 * w.z());
        out.t = v + 0.5 * (hat * v);
        return out;
    }
    const double half = 0.5 * theta;
    const double k = std::sin(half) / theta;
    out.q = Quaterniond(std::cos(half), k * w.x(), k * w.y(), k * w.z());
    const Matrix3d V = Matrix3d::Identity() + (1 - std::cos(theta)) / theta2 * hat +
                       (theta - std::sin(theta)) / (theta2 * theta) * (hat * hat);
    out.t = V * v;
    return out;
}

} // namespace

int deskew_peer_present(void)
{
    return 1;
}

/* As its preprocessing step does: least and greatest stamp, then a new frame, each point by its own exponential. */
void deskew_peer_kiss(const double *twist, const double *times, double *xyz, size_t n)
{
    const Vector3d v(twist[0], twist[1], twist[2]), w(twist[3], twist[4], twist[5]);
    const auto ends = std::minmax_element(times, times + n);
    const double first = *ends.first, length = *ends.second - first;
    const Vector3d *frame = reinterpret_cast<const Vector3d *>(xyz);
    std::vector<Vector3d> deskewed(n);
    for (size_t i = 0; i < n; i++) {
        const double s = (times[i] - first) / length - 1.0;
        const rigid pose = exp_se3(s * v, s * w);
        deskewed[i] = pose.q * frame[i] + pose.t;
    }
    xyz[0] += 1e-9 * deskewed[n / 2].x(); /* the result is used */
}

void deskew_peer_slerp(const double *q, const double *t, const double *times, double *xyz, size_t n)
{
    const Quaterniond end(q[3], q[0], q[1], q[2]);
    const Vector3d shift(t[0], t[1], t[2]);
    for (size_t i = 0; i < n; i++) {
        Map<Vector3d> p(xyz + 3 * i);
        const Quaterniond turn = Quaterniond::Identity().slerp(times[i], end);
        p = (turn * p + times[i] * shift).eval();
    }
}

void deskew_peer_rodrigues(const double *twist, const double *times, double *xyz, size_t n)
{
    const Vector3d v(twist[0], twist[1], twist[2]), w(twist[3], twist[4], twist[5]);
    const double rate = w.norm();
    const Vector3d axis = w / rate;
    for (size_t i = 0; i < n; i++) {
        Map<Vector3d> p(xyz + 3 * i);
        const double s = times[i] - 1.0, angle = rate * s;
        const double sine = std::sin(angle), cosine = std::cos(angle);
        const Vector3d ap = axis.cross(p);
        p = (p + sine * ap + (1 - cosine) * axis.cross(ap) + s * v).eval();
    }
}

void deskew_peer_columns(const double *matrices, double *xyz, size_t rows, size_t columns)
{
    for (size_t c = 0; c < columns; c++) {
        const double *m = matrices + 16 * c;
        Matrix3d r;
        r << m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10];
        const Vector3d t(m[3], m[7], m[11]);
        for (size_t row = 0; row < rows; row++) {
            Map<Vector3d> p(xyz + 3 * (row * columns + c));
            p = (r * p + t).eval();
        }
    }
}
