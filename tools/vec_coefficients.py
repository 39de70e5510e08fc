#!/usr/bin/env python3
"""Coefficients of the polynomials in src/vec: minimax fits by the Remez exchange, rounded so that the
later coefficients make up for the rounding of the earlier ones.

    tools/vec_coefficients.py            print every table
    tools/vec_coefficients.py exp erf    print the tables whose name begins so

Each table is printed with the largest weighted error of the rounded polynomial, as a power of two.
Needs mpmath.
"""
import sys
import mpmath as mp

mp.mp.prec = 200


def round_to(x, bits):
    """x to the nearest number of `bits` bits (24: float, 53: double)."""
    if x == 0:
        return mp.mpf(0)
    m, e = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(m, bits)), e - bits)


def horner(c, x):
    r = mp.mpf(0)
    for a in reversed(c):
        r = r * x + a
    return r


def extrema(err, a, b, count):
    """Points of alternating extremes of err on [a, b]."""
    n = max(400, 40 * count)
    xs = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / n) for i in range(n + 1)]
    es = [err(x) for x in xs]
    points = []
    for i in range(n + 1):
        left = es[i - 1] if i else None
        right = es[i + 1] if i < n else None
        e = es[i]
        if (left is None or abs(e) >= abs(left) or e * left < 0) and (
                right is None or abs(e) >= abs(right) or e * right < 0):
            if points and points[-1][1] * e > 0:
                if abs(e) > abs(points[-1][1]):
                    points[-1] = (xs[i], e)
            else:
                points.append((xs[i], e))
    while len(points) > count:
        drop = 0 if abs(points[0][1]) < abs(points[-1][1]) else -1
        points.pop(drop)
    return points


def remez(f, w, a, b, degree, low=0):
    """Polynomial x**low * (c0 + c1 x + ... ) of `degree`+1 coefficients c, near f weighted by w."""
    a, b = mp.mpf(a), mp.mpf(b)
    count = degree + 2
    xs = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    c = None
    for _ in range(30):
        rows = mp.matrix(count, count)
        rhs = mp.matrix(count, 1)
        for i, x in enumerate(xs):
            for j in range(degree + 1):
                rows[i, j] = x ** (j + low)
            rows[i, degree + 1] = (-1) ** i / w(x)
            rhs[i] = f(x)
        s = mp.lu_solve(rows, rhs)
        c = [s[j] for j in range(degree + 1)]
        err = lambda x: (horner(c, x) * x ** low - f(x)) * w(x)
        points = extrema(err, a, b, count)
        if len(points) < count:
            break
        xs = [p[0] for p in points]
        es = [abs(p[1]) for p in points]
        if max(es) / min(es) < 1.001:
            break
    return c


def lawson(f, w, a, b, degree, low):
    """As remez, by least squares reweighted towards the largest errors: slower to converge, but it
    does not mind an interval with 0 inside it, where x**low vanishes."""
    n = 160
    xs = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    ws = [w(x) for x in xs]
    fs = [f(x) for x in xs]
    ps = [[x ** (j + low) * wi for j in range(degree + 1)] for x, wi in zip(xs, ws)]
    v = [mp.mpf(1)] * n
    c = None
    for _ in range(24):
        rows = mp.matrix(degree + 1, degree + 1)
        rhs = mp.matrix(degree + 1, 1)
        for p, wi, fi, vi in zip(ps, ws, fs, v):
            for j in range(degree + 1):
                rhs[j] += vi * p[j] * fi * wi
                for k in range(j, degree + 1):
                    rows[j, k] += vi * p[j] * p[k]
        for j in range(degree + 1):
            for k in range(j):
                rows[j, k] = rows[k, j]
        s = mp.lu_solve(rows, rhs)
        c = [s[j] for j in range(degree + 1)]
        es = [abs(sum(cj * pj for cj, pj in zip(c, p)) - fi * wi) for p, fi, wi in zip(ps, fs, ws)]
        top = max(es)
        v = [vi * (e / top) + mp.mpf(2) ** -60 for vi, e in zip(v, es)]
    return c


def fit(f, w, a, b, degree, bits):
    """Coefficients rounded one by one, the rest refitted each time."""
    done = []
    a, b = mp.mpf(a), mp.mpf(b)
    inside = a < 0 < b
    for k in range(degree + 1):
        rest = lambda x: f(x) - horner(done, x)
        c = (lawson if inside else remez)(rest, w, a, b, degree - k, k)
        done.append(round_to(c[0], bits))
    n = 1000
    worst = max(abs((horner(done, x) - f(x)) * w(x)) for x in (a + (b - a) * i / n for i in range(n + 1)))
    return done, worst


TABLES = {}


def table(name, note, bits, a, b, degree, f, w):
    TABLES[name] = (note, bits, a, b, degree, f, w)


def show(name):
    note, bits, a, b, degree, f, w = TABLES[name]
    c, worst = fit(f, w, a, b, degree, bits)
    print(f"// {name}: {note}; error 2^{float(mp.log(worst, 2)):.1f}")
    suffix = "f" if bits == 24 else ""
    digits = 9 if bits == 24 else 17
    print(", ".join(mp.nstr(x, digits, min_fixed=-2, max_fixed=2) + suffix for x in c), flush=True)


def series(x, terms):
    """Sum of terms(k) x**k where x is small; used where a formula cancels."""
    s, p, k = mp.mpf(0), mp.mpf(1), 0
    while k < 120:
        t = terms(k) * p
        s += t
        if k > 4 and abs(t) < mp.mpf(2) ** -230:
            break
        p *= x
        k += 1
    return s


HALF_LN2 = mp.log(2) / 2 + mp.mpf("0.0001")
for bits, d in ((24, 4), (53, 9)):
    table(f"exp{bits}", "(e^r - 1 - r) / r^2 for |r| <= ln2 / 2, error relative to e^r", bits,
          -HALF_LN2, HALF_LN2, d, lambda r: series(r, lambda k: 1 / mp.factorial(k + 2)),
          lambda r: r * r / mp.exp(r))
# f32 logarithm: log(1 + f) = f - f^2/2 + f^3 P(f).
table("log24", "(log(1+f) - f + f^2/2) / f^3 for |f| <= 1/3, error relative to log", 24,
      -mp.mpf(1) / 3 - mp.mpf("1e-6"), mp.mpf(1) / 3 + mp.mpf("1e-6"), 7,
      lambda f: series(f, lambda k: (-1) ** k / mp.mpf(k + 3)) if abs(f) < 0.2 else
      (mp.log(1 + f) - f + f * f / 2) / f ** 3,
      lambda f: f * f / (mp.log(1 + f) / f if abs(f) > 1e-6 else 1))
# f64 logarithm: with s = f / (2 + f): log(1 + f) = 2 s + s R(s^2).
table("log53", "(log((1+s)/(1-s)) / s - 2) / s^2 in z = s^2, error relative to log", 53,
      0, mp.mpf("0.02944"), 6, lambda z: 2 * series(z, lambda k: 1 / mp.mpf(2 * k + 3)),
      lambda z: z / 2 + mp.mpf(2) ** -20)
table("logdd", "from the s^5 term on: 2/5, ... in z", 53, 0, mp.mpf("0.02944"), 8,
      lambda z: 2 * series(z, lambda k: 1 / mp.mpf(2 * k + 5)), lambda z: z * z / 2 + mp.mpf(2) ** -24)
PI4SQ = (mp.pi / 4 + mp.mpf("0.001")) ** 2
for bits, d in ((24, 2), (53, 5)):
    table(f"sin{bits}", "(sin r - r) / r^3 in z = r^2, error relative to sin", bits, 0, PI4SQ, d,
          lambda z: -series(z, lambda k: (-1) ** k / mp.factorial(2 * k + 3)),
          lambda z: z + mp.mpf(2) ** -20)
    table(f"cos{bits}", "(cos r - 1 + z/2) / z^2 in z = r^2, error relative to cos", bits, 0, PI4SQ, d,
          lambda z: series(z, lambda k: (-1) ** k / mp.factorial(2 * k + 4)),
          lambda z: z * z / mp.cos(mp.sqrt(z)) + mp.mpf(2) ** -20)
T8 = mp.tan(mp.pi / 8) + mp.mpf("0.0001")
table("atan53", "(atan t - t) / t^3 in z = t^2, |t| <= tan(pi/8)", 53, 0, T8 * T8, 11,
      lambda z: -series(z, lambda k: (-1) ** k / mp.mpf(2 * k + 3)), lambda z: z + mp.mpf(2) ** -20)


def asin_term(k):
    n = k + 1
    return mp.factorial(2 * n) / (mp.mpf(4) ** n * mp.factorial(n) ** 2 * (2 * n + 1))


table("asin53", "(asin t - t) / t^3 in z = t^2, z <= 1/4", 53, 0, mp.mpf("0.2501"), 12,
      lambda z: series(z, asin_term), lambda z: z + mp.mpf(2) ** -20)


def tanh_ratio(z):
    x = mp.sqrt(z)
    if x < mp.mpf("0.02"):
        return -mp.mpf(1) / 3 + z * mp.mpf(2) / 15 - z * z * 17 / 315 + z ** 3 * 62 / 2835 - \
            z ** 4 * 1382 / 155925 + z ** 5 * 21844 / 6081075 - z ** 6 * 929569 / 638512875
    return (mp.tanh(x) - x) / (x * z)


for bits, d, hi in ((24, 4, "0.391"), (53, 11, "0.391")):
    table(f"tanh{bits}", "(tanh x - x) / x^3 in z = x^2, |x| <= 0.625", bits, 0, mp.mpf(hi), d, tanh_ratio,
          lambda z: z + mp.mpf(2) ** -20)


def erf_term(k):
    return 2 / mp.sqrt(mp.pi) * (-1) ** k / (mp.factorial(k) * (2 * k + 1))


for bits, d, hi in ((24, 5, "0.9375"), (53, 11, "1.001")):
    table(f"erf{bits}", f"erf(x)/x - 1 in z = x^2, |x| <= {hi}", bits, 0, mp.mpf(hi) ** 2, d,
          lambda z: series(z, erf_term) - 1, lambda z: mp.mpf(1))
table("erftail24", "log(erfc(t)) / t on [0.9375, 4.0], in t", 24, mp.mpf("0.9375"), mp.mpf("4.0"), 5,
      lambda t: mp.log(mp.erfc(t)) / t, lambda t: t * mp.erfc(t) / mp.erf(t))


def erfcx_mapped(u):
    # u = (t - 2) / (t + 2), t from 0.5 to 28
    t = 2 * (1 + u) / (1 - u)
    return mp.exp(t * t) * mp.erfc(t) * (t + 2)


table("erfcx53", "erfcx(t) (t + 2) in u = (t - 2)/(t + 2), t in [0.9, 28]", 53,
      (mp.mpf("0.9") - 2) / mp.mpf("2.9"), mp.mpf(26) / 30, 20, erfcx_mapped,
      lambda u: 1 / erfcx_mapped(u))

if __name__ == "__main__":
    names = [n for n in TABLES if len(sys.argv) == 1 or any(n.startswith(a) for a in sys.argv[1:])]
    for n in names:
        show(n)
