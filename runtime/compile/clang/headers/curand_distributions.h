// Distributions of the numbers of a generator, for curand_kernel.h.
#pragma once

// Both products are exact, so that a fused sum is the same.
WS_D float ws_uniform(unsigned x) { return (float)x * 0x1p-32f + 0x1p-33f; }
WS_D double ws_uniform_double(unsigned low, unsigned high) {
  return (double)(low ^ (unsigned long long)high << 21) * 0x1p-53 + 0x1p-54;
}

template <class State>
WS_D float curand_uniform(State* s) { return ws_uniform(curand(s)); }
WS_D double curand_uniform_double(curandStateXORWOW* s) {
  unsigned low = curand(s), high = curand(s);
  return ws_uniform_double(low, high);
}
WS_D double curand_uniform_double(curandStatePhilox4_32_10* s) {
  return (double)curand(s) * 0x1p-32 + 0x1p-32;
}
WS_D float4 curand_uniform4(curandStatePhilox4_32_10* s) {
  uint4 x = curand4(s);
  return {ws_uniform(x.x), ws_uniform(x.y), ws_uniform(x.z), ws_uniform(x.w)};
}
WS_D double2 curand_uniform2_double(curandStatePhilox4_32_10* s) {
  uint4 x = curand4(s);
  return {ws_uniform_double(x.x, x.y), ws_uniform_double(x.z, x.w)};
}

// ---- normal: two at once, by the transform of Box and Muller -------------------------------------
WS_D float2 ws_normal(unsigned x, unsigned y) {
  float r = sqrtf(-2.0f * logf(ws_uniform(x)));
  float step = 0x1p-32f * 6.2831855f, angle = fmaf((float)y, step, step / 2);
  return {sinf(angle) * r, cosf(angle) * r};
}
WS_D double2 ws_normal_double(uint4 x) {
  double r = sqrt(-2.0 * log(ws_uniform_double(x.x, x.y)));
  double angle = 2 * ws_uniform_double(x.z, x.w) * M_PI;
  return {sin(angle) * r, cos(angle) * r};
}
template <class State>
WS_D float2 curand_normal2(State* s) {
  unsigned x = curand(s), y = curand(s);
  return ws_normal(x, y);
}
template <class State>
WS_D double2 curand_normal2_double(State* s) { return ws_normal_double(ws_next4(s)); }
WS_D float4 curand_normal4(curandStatePhilox4_32_10* s) {
  uint4 x = curand4(s);
  float2 a = ws_normal(x.x, x.y), b = ws_normal(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}

template <class State>
WS_D float2 curand_log_normal2(State* s, float mean, float deviation) {
  float2 v = curand_normal2(s);
  return {expf(mean + deviation * v.x), expf(mean + deviation * v.y)};
}
template <class State>
WS_D double2 curand_log_normal2_double(State* s, double mean, double deviation) {
  double2 v = curand_normal2_double(s);
  return {exp(mean + deviation * v.x), exp(mean + deviation * v.y)};
}
WS_D float4 curand_log_normal4(curandStatePhilox4_32_10* s, float mean, float deviation) {
  float4 v = curand_normal4(s);
  return {expf(mean + deviation * v.x), expf(mean + deviation * v.y), expf(mean + deviation * v.z),
          expf(mean + deviation * v.w)};
}

// One at a time: the second waits in the state, which says whether it is a normal (1) or a log-normal
// (2) one.
#define WS_ONE_OF_TWO(type, name, suffix, kind, parameters, call)           \
  template <class State>                                                    \
  WS_D type name parameters {                                               \
    if (s->boxmuller_flag##suffix == kind) {                                \
      s->boxmuller_flag##suffix = 0;                                        \
      return s->boxmuller_extra##suffix;                                    \
    }                                                                       \
    type##2 both = call;                                                    \
    s->boxmuller_flag##suffix = kind;                                       \
    s->boxmuller_extra##suffix = both.y;                                    \
    return both.x;                                                          \
  }
WS_ONE_OF_TWO(float, curand_normal, , 1, (State* s), curand_normal2(s))
WS_ONE_OF_TWO(double, curand_normal_double, _double, 1, (State* s), curand_normal2_double(s))
WS_ONE_OF_TWO(float, curand_log_normal, , 2, (State* s, float mean, float deviation),
              curand_log_normal2(s, mean, deviation))
WS_ONE_OF_TWO(double, curand_log_normal_double, _double, 2,
              (State* s, double mean, double deviation),
              curand_log_normal2_double(s, mean, deviation))
#undef WS_ONE_OF_TWO

template <class State>
__device__ unsigned curand_poisson(State* s, double lambda) __attribute__((unavailable(
    "the CPU engine has no Poisson numbers: use curand_uniform, curand_normal or "
    "curand_log_normal")));
