#pragma once

// Transcendental functions on vectors; included only by the variants' sources.

namespace quire::cpu {
namespace {

/// (exp(r) - 1 - r) / r^2 on [-ln 2 / 2, ln 2 / 2], Cephes' polynomial of expf.
template <class V>
inline typename V::F exp_tail(typename V::F r) {
  typename V::F p = V::set1(1.9875691500e-4f);
  p = V::fma(p, r, V::set1(1.3981999507e-3f));
  p = V::fma(p, r, V::set1(8.3334519073e-3f));
  p = V::fma(p, r, V::set1(4.1665795894e-2f));
  p = V::fma(p, r, V::set1(1.6666665459e-1f));
  return V::fma(p, r, V::set1(5.0000001201e-1f));
}

/// exp(x) to about 1 ulp; infinity above 88.73, NaN for NaN. Below -69 (about 2^-100) exactly 0:
/// callers add the result to 1 or to weights of which one is 1, so it does not matter there, and
/// products of subnormal numbers cost some processors a hundred cycles each.
template <class V>
inline typename V::F exp_vector(typename V::F argument) {
  using F = typename V::F;
  const F least = V::set1(-69.0f);
  const F x = V::min(V::set1(89.0f), V::max(least, argument));
  const F n = V::round(V::mul(x, V::set1(1.44269504088896341f)));
  F r = V::fnma(n, V::set1(0.693359375f), x);
  r = V::fnma(n, V::set1(-2.12194440e-4f), r);
  const F p = V::add(V::fma(exp_tail<V>(r), V::mul(r, r), r), V::set1(1.0f));
  return V::select_less(argument, least, V::zero(), V::scale_by_power_of_2(p, n));
}

/// exp(x) - 1 - x for x <= 0 without cancellation: the polynomial of exp_vector near zero.
template <class V>
inline typename V::F exp_minus_1_and_x(typename V::F x) {
  using F = typename V::F;
  const F near_zero = V::mul(exp_tail<V>(x), V::mul(x, x));
  const F far = V::sub(V::sub(exp_vector<V>(x), V::set1(1.0f)), x);
  return V::select_less(x, V::set1(-0.34f), far, near_zero);
}

/// The normal distribution's probability up to x, relative error below 1e-6: erfc by exp(-t^2)
/// times a polynomial in 1 / (1 + t / 2) (Numerical Recipes, erfcc), t = |x| / sqrt 2.
template <class V>
inline typename V::F normal_probability(typename V::F x) {
  using F = typename V::F;
  const F half = V::set1(0.5f);
  const F t = V::mul(V::abs(x), V::set1(kRootHalf));
  const F u = V::div(V::set1(1.0f), V::fma(t, half, V::set1(1.0f)));
  F p = V::set1(0.17087277f);
  for (const float c : {-0.82215223f, 1.48851587f, -1.13520398f, 0.27886807f, -0.18628806f,
                        0.09678418f, 0.37409196f, 1.00002368f, -1.26551223f}) {
    p = V::fma(p, u, V::set1(c));
  }
  const F tail = V::mul(V::mul(u, half), exp_vector<V>(V::sub(p, V::mul(t, t))));
  return V::select_less(x, V::zero(), tail, V::sub(V::set1(1.0f), tail));
}

/// tanh(x), relative error below 3e-7: Cephes' tanhf polynomial near zero, else by exp.
template <class V>
inline typename V::F tanh_vector(typename V::F x) {
  using F = typename V::F;
  const F magnitude = V::abs(x);
  const F square = V::mul(x, x);
  F p = V::set1(-5.70498872745e-3f);
  p = V::fma(p, square, V::set1(2.06390887954e-2f));
  p = V::fma(p, square, V::set1(-5.37397155531e-2f));
  p = V::fma(p, square, V::set1(1.33314422036e-1f));
  p = V::fma(p, square, V::set1(-3.33332819422e-1f));
  const F near_zero = V::fma(V::mul(p, square), x, x);
  const F e = exp_vector<V>(V::add(magnitude, magnitude));
  const F far = V::sub(V::set1(1.0f), V::div(V::set1(2.0f), V::add(e, V::set1(1.0f))));
  return V::select_less(magnitude, V::set1(0.625f), near_zero, V::copy_sign(far, x));
}

}  // namespace
}  // namespace quire::cpu
