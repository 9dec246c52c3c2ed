// Textures and surfaces: they are known by name, so that a kernel with one gets one clear error, at the
// first place where it reads or writes one (clang/supported.cpp). No plan declares them. A source that
// has such names of its own never sees this header: it is read only where a name is not known.
#pragma once

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };

WS_RT void ws_rt_texture();

/// A texture as old code declares it.
template <class T, int Dimensions = 1, cudaTextureReadMode Mode = cudaReadModeElementType>
struct __attribute__((unavailable(
    "textures are not supported on the CPU engine, and no plan declares one: pass the buffer as an "
    "argument and read it by its index, as in `in[y * width + x]`"))) texture {};

#define WS_TEXTURE(name)                                                   \
  template <class T = float, class... Arguments>                           \
  WS_D T name(Arguments...) {                                              \
    ws_rt_texture();                                                       \
    return T();                                                            \
  }
WS_TEXTURE(tex1D)
WS_TEXTURE(tex1Dfetch)
WS_TEXTURE(tex1DLod)
WS_TEXTURE(tex1DGrad)
WS_TEXTURE(tex1DLayered)
WS_TEXTURE(tex2D)
WS_TEXTURE(tex2DLod)
WS_TEXTURE(tex2DGrad)
WS_TEXTURE(tex2DLayered)
WS_TEXTURE(tex2Dgather)
WS_TEXTURE(tex3D)
WS_TEXTURE(tex3DLod)
WS_TEXTURE(tex3DGrad)
WS_TEXTURE(texCubemap)
WS_TEXTURE(texCubemapLod)
WS_TEXTURE(surf1Dread)
WS_TEXTURE(surf1Dwrite)
WS_TEXTURE(surf2Dread)
WS_TEXTURE(surf2Dwrite)
WS_TEXTURE(surf2DLayeredread)
WS_TEXTURE(surf2DLayeredwrite)
WS_TEXTURE(surf3Dread)
WS_TEXTURE(surf3Dwrite)
#undef WS_TEXTURE
