#include <nio-tls/TlsMemory.h>

#include <malloc.h>
#include <openssl/crypto.h>

#include <cstdlib>

namespace nio {

namespace {

thread_local std::ptrdiff_t held = 0;

std::ptrdiff_t sizeOf(void* block) {
    return static_cast<std::ptrdiff_t>(::malloc_usable_size(block));
}

// OpenSSL releases null many times for each record.
void release(void* block, const char*, int) {
    if (block == nullptr) return;
    held -= sizeOf(block);
    std::free(block);
}

void* allocate(std::size_t bytes, const char*, int) {
    void* block = bytes == 0 ? nullptr : std::malloc(bytes);
    held += sizeOf(block);
    return block;
}

void* resize(void* block, std::size_t bytes, const char* file, int line) {
    if (bytes == 0) return release(block, file, line), nullptr;
    const std::ptrdiff_t before = sizeOf(block);
    void* resized = std::realloc(block, bytes);
    if (resized != nullptr) held += sizeOf(resized) - before;
    return resized;
}

const bool counted = CRYPTO_set_mem_functions(allocate, resize, release) == 1;

}  // namespace

std::ptrdiff_t TlsMemory::ofThread() {
    return held;
}

bool TlsMemory::isCounted() {
    return counted;
}

}  // namespace nio
