// Whether this build has a sanitizer: such a build is slow, and its memory says nothing.
#pragma once

namespace support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

// So many of something, or fewer where a sanitizer makes it slow.
constexpr int scaled(int plainly, int withSanitizer) {
    return sanitized ? withSanitizer : plainly;
}

}  // namespace support
