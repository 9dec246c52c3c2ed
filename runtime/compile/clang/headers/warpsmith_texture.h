// Texture objects: a plan declares them (docs/problem-and-kernel.md), and the runtime says what a handle
// stands for. What the engine does not have - surfaces, cubemaps, texture references - is known by name, so
// that a kernel with it gets one clear error (clang/supported.cpp). A source that has such names of its own
// never sees this header: it is read only where a name is not known.
//
// A texel is read from the buffer like any other element, so that the checks of other builds see it.
// Source: CUDA Programming Guide, "Texture Fetching".
#pragma once

#include "warpsmith_texel.h"

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };

WS_RT void ws_rt_surface();
WS_RT void ws_rt_texture_rest();

/// A texture as old code declares it.
template <class T, int Dimensions = 1, cudaTextureReadMode Mode = cudaReadModeElementType>
struct __attribute__((unavailable(
    "texture references are not supported: say {\"texture\": \"in\", \"width\": \"w\", \"height\": \"h\"} among "
    "the launch's args, and take it as a `cudaTextureObject_t`"))) texture {};

// ---- filters ------------------------------------------------------------------------------------
/// A plan filters nothing but floats.
template <class R, int Channels>
struct ws_rt_filter {
  static __device__ __forceinline__ ws_rt_four<R> at(const ws_rt_texture_t& t, ws_rt_pair x, ws_rt_pair y,
                                                     ws_rt_pair z, int) {
    return ws_rt_read<R, Channels>(t, x.first, y.first, z.first);
  }
};

WS_D ws_rt_four<float> ws_rt_plus(const ws_rt_four<float>& sum, float share, const ws_rt_four<float>& more) {
  return {sum.x + share * more.x, sum.y + share * more.y, sum.z + share * more.z, sum.w + share * more.w};
}

WS_D ws_rt_four<float> ws_rt_between(const ws_rt_four<float>& a, const ws_rt_four<float>& b, float share) {
  return ws_rt_plus(ws_rt_plus({0, 0, 0, 0}, 1.0f - share, a), share, b);
}

template <int Channels>
struct ws_rt_filter<float, Channels> {
  typedef ws_rt_four<float> four;

  static __device__ __forceinline__ four texel(const ws_rt_texture_t& t, int x, int y, int z) {
    return ws_rt_read<float, Channels>(t, x, y, z);
  }
  static __device__ __forceinline__ four line(const ws_rt_texture_t& t, ws_rt_pair x, int y, int z) {
    return ws_rt_between(texel(t, x.first, y, z), texel(t, x.second, y, z), x.share);
  }
  /// The shares of the four texels add up to 1; the last one's is rounded to 8 bits (seen on an H200).
  static __device__ __forceinline__ four plane(const ws_rt_texture_t& t, ws_rt_pair x, ws_rt_pair y, int z) {
    const float both = floorf(x.share * y.share * 256.0f + 0.5f) / 256.0f;
    four sum = ws_rt_plus({0, 0, 0, 0}, 1.0f - x.share - y.share + both, texel(t, x.first, y.first, z));
    sum = ws_rt_plus(sum, x.share - both, texel(t, x.second, y.first, z));
    sum = ws_rt_plus(sum, y.share - both, texel(t, x.first, y.second, z));
    return ws_rt_plus(sum, both, texel(t, x.second, y.second, z));
  }
  static __device__ __forceinline__ four at(const ws_rt_texture_t& t, ws_rt_pair x, ws_rt_pair y, ws_rt_pair z,
                                            int dimensions) {
    if (!t.linear()) return texel(t, x.first, y.first, z.first);
    if (dimensions < 2) return line(t, x, y.first, z.first);
    const four first = plane(t, x, y, z.first);
    return dimensions < 3 ? first : ws_rt_between(first, plane(t, x, y, z.second), z.share);
  }
};

/// @param layer  Of a texture with less than three dimensions; without a sign, as GPUs have it.
template <class T>
WS_D T ws_rt_sample(cudaTextureObject_t object, unsigned kind, int dimensions, float x, float y, float z,
                    unsigned layer) {
  typedef ws_rt_texel<T> texel;
  const ws_rt_texture_t t = ws_rt_open(object, kind, texel::read, texel::channels);
  const unsigned last = (unsigned)t.depth - 1;
  ws_rt_pair down = {0, 0, 0.0f};
  ws_rt_pair in = {(int)(layer > last ? last : layer), 0, 0.0f};
  if (dimensions > 1) down = ws_rt_along(t, y, t.height);
  if (dimensions > 2) in = ws_rt_along(t, z, t.depth);
  return texel::make(ws_rt_filter<typename texel::of, texel::channels>::at(t, ws_rt_along(t, x, t.width), down,
                                                                           in, dimensions));
}

/// A plan's textures have one level.
WS_D void ws_rt_level(float level) {
  if (level > 0.0f) ws_rt_stop(6);
}

// ---- the functions of CUDA: each gives its result, or writes it where a pointer says -------------------
#define WS_ALL(...) __VA_ARGS__
#define WS_TEXTURE(name, declared, passed, ...)                   \
  template <class T>                                              \
  WS_D T name declared {                                          \
    __VA_ARGS__                                                   \
  }                                                               \
  template <class T>                                              \
  WS_D void name(T* result, WS_ALL declared) {                    \
    *result = name<T> passed;                                     \
  }
WS_TEXTURE(tex1Dfetch, (cudaTextureObject_t object, int x), (object, x), {
  typedef ws_rt_texel<T> texel;
  const ws_rt_texture_t t = ws_rt_open(object, 8, texel::read, texel::channels);
  return texel::make(
      ws_rt_read<typename texel::of, texel::channels>(t, x < 0 || x >= t.width ? -1 : x, 0, 0));
})
WS_TEXTURE(tex1D, (cudaTextureObject_t object, float x), (object, x),
           { return ws_rt_sample<T>(object, 1, 1, x, 0, 0, 0); })
WS_TEXTURE(tex1DLod, (cudaTextureObject_t object, float x, float level), (object, x, level), {
  ws_rt_level(level);
  return tex1D<T>(object, x);
})
WS_TEXTURE(tex1DLayered, (cudaTextureObject_t object, float x, int layer), (object, x, layer),
           { return ws_rt_sample<T>(object, 5, 1, x, 0, 0, (unsigned)layer); })
WS_TEXTURE(tex2D, (cudaTextureObject_t object, float x, float y), (object, x, y),
           { return ws_rt_sample<T>(object, 2, 2, x, y, 0, 0); })
WS_TEXTURE(tex2DLod, (cudaTextureObject_t object, float x, float y, float level), (object, x, y, level), {
  ws_rt_level(level);
  return tex2D<T>(object, x, y);
})
WS_TEXTURE(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer), (object, x, y, layer),
           { return ws_rt_sample<T>(object, 6, 2, x, y, 0, (unsigned)layer); })
WS_TEXTURE(tex3D, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z),
           { return ws_rt_sample<T>(object, 3, 3, x, y, z, 0); })
WS_TEXTURE(tex3DLod, (cudaTextureObject_t object, float x, float y, float z, float level),
           (object, x, y, z, level), {
             ws_rt_level(level);
             return tex3D<T>(object, x, y, z);
           })
#undef WS_TEXTURE
#undef WS_ALL

#define WS_MISSING(name, function)      \
  template <class T = float, class... Arguments> \
  WS_D T name(Arguments...) {           \
    function();                         \
    return T();                         \
  }
WS_MISSING(tex1DGrad, ws_rt_texture_rest)
WS_MISSING(tex2DGrad, ws_rt_texture_rest)
WS_MISSING(tex2Dgather, ws_rt_texture_rest)
WS_MISSING(tex3DGrad, ws_rt_texture_rest)
WS_MISSING(texCubemap, ws_rt_texture_rest)
WS_MISSING(texCubemapLod, ws_rt_texture_rest)
WS_MISSING(surf1Dread, ws_rt_surface)
WS_MISSING(surf1Dwrite, ws_rt_surface)
WS_MISSING(surf2Dread, ws_rt_surface)
WS_MISSING(surf2Dwrite, ws_rt_surface)
WS_MISSING(surf2DLayeredread, ws_rt_surface)
WS_MISSING(surf2DLayeredwrite, ws_rt_surface)
WS_MISSING(surf3Dread, ws_rt_surface)
WS_MISSING(surf3Dwrite, ws_rt_surface)
#undef WS_MISSING
