/* SPDX-License-Identifier: BSD-3-Clause */
#include "deskew_peer.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>
#if __has_include(<sophus/se3.hpp>)
#include <sophus/se3.hpp>
#endif

using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace
{

using Vector6d = Eigen::Matrix<double, 6, 1>;

#if __has_include(<sophus/se3.hpp>)
using rigid = Sophus::SE3d;
#else
/*
 * SO(3) and SE(3) as Sophus 1.24 computes them, which KISS-ICP calls for each point: the same checks, series, functions and
 * matrices in the same order. It runs as fast as Sophus itself does in the loop below (gcc 12, Zen 4: both 11.6 Mpt/s).
 */
struct rotation {
    Quaterniond q;

    static rotation exp(const Vector3d &w, double *theta)
    {
        const double theta2 = w.squaredNorm();
        double imaginary, real;
        if (theta2 < epsilon * epsilon) {
            const double theta4 = theta2 * theta2;
            *theta = 0;
            imaginary = 0.5 - 1.0 / 48 * theta2 + 1.0 / 3840 * theta4;
            real = 1 - 1.0 / 8 * theta2 + 1.0 / 384 * theta4;
        } else {
            *theta = std::sqrt(theta2);
            const double half = 0.5 * *theta;
            imaginary = std::sin(half) / *theta;
            real = std::cos(half);
        }
        rotation r;
        r.q = Quaterniond(real, imaginary * w.x(), imaginary * w.y(), imaginary * w.z());
        if (!(std::abs(r.q.squaredNorm() - 1) < epsilon))
            std::abort();
        return r;
    }

    static Matrix3d hat(const Vector3d &w)
    {
        Matrix3d m;
        m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
        return m;
    }

    static Matrix3d left_jacobian(const Vector3d &w, double theta)
    {
        const double theta2 = theta * theta;
        const Matrix3d m = hat(w);
        const Matrix3d m2 = m * m;
        Matrix3d v;
        if (theta2 < epsilon * epsilon)
            v = Matrix3d::Identity() + 0.5 * m;
        else
            v = Matrix3d::Identity() + (1 - std::cos(theta)) / theta2 * m +
                (theta - std::sin(theta)) / (theta2 * theta) * m2;
        return v;
    }

    Vector3d operator*(const Vector3d &p) const
    {
        Vector3d uv = q.vec().cross(p);
        uv += uv;
        return p + q.w() * uv + q.vec().cross(uv);
    }

    static constexpr double epsilon = 1e-10;
};

struct rigid {
    rotation r;
    Vector3d t;

    static rigid exp(const Vector6d &twist)
    {
        const Vector3d w = twist.tail<3>();
        double theta;
        const rotation r = rotation::exp(w, &theta);
        const Matrix3d v = rotation::left_jacobian(w, theta);
        return rigid{r, v * twist.head<3>()};
    }

    Vector3d operator*(const Vector3d &p) const
    {
        return r * p + t;
    }
};
#endif

} // namespace

int deskew_peer_present(void)
{
    return 1;
}

/*
 * As its preprocessing does it, without the threads: least and greatest stamp, a new frame, for each point its own
 * exponential. What it does besides (the range filter, the log of the motion) is left out.
 */
void deskew_peer_kiss(const double *twist, const double *times, double *xyz, size_t n)
{
    const Vector6d omega = Map<const Vector6d>(twist);
    const auto ends = std::minmax_element(times, times + n);
    const double first = *ends.first, last = *ends.second;
    const Vector3d *frame = reinterpret_cast<const Vector3d *>(xyz);
    std::vector<Vector3d> deskewed(n);
    for (size_t i = 0; i < n; i++) {
        const double s = (times[i] - first) / (last - first);
        const rigid pose = rigid::exp((s - 1.0) * omega);
        deskewed[i] = pose * frame[i];
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
