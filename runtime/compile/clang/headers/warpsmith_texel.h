// Texels of a texture object, and the texels that a coordinate stands for. The numbers of elements and
// kinds are those of runtime/device/cpu/abi.h.
// Source: CUDA Programming Guide, "Texture Fetching".
#pragma once

// The last argument of a runtime function is never a word: that would become the source place.
WS_ID unsigned long long ws_rt_texture_word(unsigned word, unsigned long long object);
WS_ID const char* ws_rt_texture_data(unsigned long long object);

template <class R>
struct ws_rt_four {
  R x, y, z, w;
};

template <class T>
struct ws_rt_texel {
  static_assert(sizeof(T) == 0, "a texture holds char, short, int, their unsigned types and float, or "
                                "vectors of 1, 2 or 4 of them");
};
#define WS_TEXEL(type, element, code, count, ...)                                     \
  template <>                                                                         \
  struct ws_rt_texel<type> {                                                          \
    typedef element of;                                                               \
    typedef type whole;                                                               \
    enum { read = code, channels = count };                                           \
    static __device__ __forceinline__ whole make(const ws_rt_four<element>& v) {      \
      return whole{__VA_ARGS__};                                                      \
    }                                                                                 \
  };
#define WS_TEXELS(type, element, vector, code)                       \
  WS_TEXEL(type, element, code, 1, v.x)                              \
  WS_TEXEL(vector##1, element, code, 1, v.x)                         \
  WS_TEXEL(vector##2, element, code, 2, v.x, v.y)                    \
  WS_TEXEL(vector##4, element, code, 4, v.x, v.y, v.z, v.w)
WS_TEXELS(float, float, float, 1)
WS_TEXELS(signed char, signed char, char, 2)
WS_TEXEL(char, signed char, 2, 1, (char)v.x)
WS_TEXELS(unsigned char, unsigned char, uchar, 3)
WS_TEXELS(short, short, short, 4)
WS_TEXELS(unsigned short, unsigned short, ushort, 5)
WS_TEXELS(int, int, int, 6)
WS_TEXELS(unsigned, unsigned, uint, 7)
#undef WS_TEXELS
#undef WS_TEXEL

/// A texture as its handle gives it.
struct ws_rt_texture_t {
  const char* data;
  unsigned modes;
  int width, height, depth;
  __device__ __forceinline__ unsigned bits(unsigned at, unsigned mask) const { return modes >> at & mask; }
  __device__ __forceinline__ bool linear() const { return bits(18, 1); }
};

/// Stops the thread unless the texture is of this kind and is read as it was declared.
WS_D ws_rt_texture_t ws_rt_open(cudaTextureObject_t object, unsigned kind, unsigned read, unsigned channels) {
  const unsigned modes = (unsigned)ws_rt_texture_word(0, object);
  if (modes == 0) ws_rt_stop(3);
  if ((modes >> 4 & 15) != read || (modes >> 8 & 15) != channels) ws_rt_stop(4);
  if ((modes >> 12 & 15) != kind) ws_rt_stop(5);
  return {ws_rt_texture_data(object), modes, (int)ws_rt_texture_word(1, object),
          (int)ws_rt_texture_word(2, object), (int)ws_rt_texture_word(3, object)};
}

template <class R>
WS_D R ws_rt_element(const ws_rt_texture_t& t, long at) {
  return ((const R*)t.data)[at];
}

template <>
__device__ __forceinline__ float ws_rt_element<float>(const ws_rt_texture_t& t, long at) {
  switch (t.bits(0, 15)) {
    case 2: {
      const float value = ((const signed char*)t.data)[at] / 127.0f;
      return value < -1.0f ? -1.0f : value;
    }
    case 3: return ((const unsigned char*)t.data)[at] / 255.0f;
    case 4: {
      const float value = ((const short*)t.data)[at] / 32767.0f;
      return value < -1.0f ? -1.0f : value;
    }
    case 5: return ((const unsigned short*)t.data)[at] / 65535.0f;
    case 8: return (float)((const _Float16*)t.data)[at];
    default: return ((const float*)t.data)[at];
  }
}

/// Zeros where an index is negative: outside of a border.
template <class R, int Channels>
WS_D ws_rt_four<R> ws_rt_read(const ws_rt_texture_t& t, int x, int y, int z) {
  ws_rt_four<R> v = {0, 0, 0, 0};
  if ((x | y | z) < 0) return v;
  const long at = (((long)z * t.height + y) * t.width + x) * Channels;
  v.x = ws_rt_element<R>(t, at);
  if (Channels > 1) v.y = ws_rt_element<R>(t, at + 1);
  if (Channels > 2) {
    v.z = ws_rt_element<R>(t, at + 2);
    v.w = ws_rt_element<R>(t, at + 3);
  }
  return v;
}

// ---- coordinates --------------------------------------------------------------------------------
/// Two neighbours along one dimension, -1 for one outside of a border, and the share of the second.
struct ws_rt_pair {
  int first, second;
  float share;
};

/// The texel that stands for index `i`: from -1 to size in a wrap, to 2 size in a mirror.
WS_D int ws_rt_inside(int i, int size, unsigned address) {
  if (address == 0) return i < 0 ? i + size : i >= size ? i - size : i;
  if (address == 2) {
    i = i < 0 ? i + 2 * size : i >= 2 * size ? i - 2 * size : i;
    return i < size ? i : 2 * size - 1 - i;
  }
  if (address == 3) return i < 0 || i >= size ? -1 : i;
  return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/// A share has 8 bits of fraction.
WS_D ws_rt_pair ws_rt_along(const ws_rt_texture_t& t, float x, int size) {
  const unsigned address = t.bits(16, 3);
  if (t.bits(19, 1)) {
    if (address == 0) x -= floorf(x);
    if (address == 2) x -= 2.0f * floorf(0.5f * x);
    x *= (float)size;
  }
  if (x != x) x = 0.0f;
  const float most = 2.0f * (float)size + 2.0f;
  x = x < -2.0f ? -2.0f : x > most ? most : x;
  if (t.linear()) x -= 0.5f;
  const float low = floorf(x);
  const int i = (int)low;
  return {ws_rt_inside(i, size, address), ws_rt_inside(i + 1, size, address),
          floorf((x - low) * 256.0f + 0.5f) / 256.0f};
}
