// Complex numbers of CUDA's C interface: pairs of floats or doubles.
#pragma once

#define WS_COMPLEX(type, Pair, make, f)                                                          \
  WS_D type cuCreal##f(Pair v) { return v.x; }                                                   \
  WS_D type cuCimag##f(Pair v) { return v.y; }                                                   \
  WS_D Pair cuConj##f(Pair v) { return make(v.x, -v.y); }                                        \
  WS_D Pair cuCadd##f(Pair a, Pair b) { return make(a.x + b.x, a.y + b.y); }                     \
  WS_D Pair cuCsub##f(Pair a, Pair b) { return make(a.x - b.x, a.y - b.y); }                     \
  WS_D Pair cuCmul##f(Pair a, Pair b) {                                                          \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                   \
  }                                                                                              \
  /* Scaled by the divisor's size, so that its square does not overflow. */                      \
  WS_D Pair cuCdiv##f(Pair a, Pair b) {                                                          \
    type scale = 1 / (fabs(b.x) + fabs(b.y));                                                    \
    type ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                 \
    type inverse = 1 / (bx * bx + by * by);                                                      \
    return make((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                   \
  }                                                                                              \
  WS_D type cuCabs##f(Pair v) { return hypot(v.x, v.y); }                                        \
  WS_D Pair cuCfma##f(Pair a, Pair b, Pair c) { return cuCadd##f(cuCmul##f(a, b), c); }

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
WS_D cuFloatComplex make_cuFloatComplex(float x, float y) { return make_float2(x, y); }
WS_D cuDoubleComplex make_cuDoubleComplex(double x, double y) { return make_double2(x, y); }
WS_D cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
WS_COMPLEX(float, float2, make_float2, f)
WS_COMPLEX(double, double2, make_double2, )
#undef WS_COMPLEX
WS_D cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex v) { return make_double2(v.x, v.y); }
WS_D cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex v) {
  return make_float2((float)v.x, (float)v.y);
}
