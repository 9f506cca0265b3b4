# Warnings, sanitizers and link-time optimisation of our own targets. Consumers get none of them.

set(NIO_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                 -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Signs are left alone by g++'s -Wconversion: both compilers shall want the same.
    list(APPEND NIO_WARNINGS -Wthread-safety -Wno-sign-conversion)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Optimising, g++ 12 sees overlaps and overruns in std::string's operator+ that are not there
    # (GCC bug 105651 and its like). AddressSanitizer looks for the real ones.
    list(APPEND NIO_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                             -Wno-stringop-overread)
endif()

function(nio_warnings target)
    if(PROJECT_IS_TOP_LEVEL)
        target_compile_options(${target} PRIVATE ${NIO_WARNINGS})
    endif()
    if(NIO_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()

# Warnings, and clang's proof of the thread rule (nio/base/ThreadRole.h).
function(nio_compile_options target)
    nio_warnings(${target})
    target_compile_definitions(${target} PRIVATE NIO_THREAD_SAFETY_ANALYSIS)
endfunction()

if(NIO_SANITIZE)
    list(JOIN NIO_SANITIZE "," sanitizers)
    # UBSan's vptr check opens a pipe to look at an object; without a descriptor, which is what some
    # tests are about, it takes every object for a wrong one.
    add_compile_options(-fsanitize=${sanitizers} -fno-sanitize=vptr -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${sanitizers})
endif()

# The files of a folder at once: most of a file's time goes into the headers that it shares with the
# others. Names in their unnamed namespaces must neither collide nor be shadowed. A folder of more
# than 16 files is divided into equal parts, in the order of the names. A debug build compiles one by
# one, so that each file shows that it includes what it needs.
function(nio_compile_by_folder target)
    if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT NIO_SANITIZE)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        get_filename_component(folder ${source} DIRECTORY)
        file(GLOB neighbours ${folder}/*.cpp)
        list(LENGTH neighbours count)
        file(RELATIVE_PATH group ${PROJECT_SOURCE_DIR} ${folder})
        if(count GREATER 16)
            list(FIND neighbours ${source} index)
            math(EXPR part "${index} * ((${count} + 15) / 16) / ${count}")
            string(APPEND group "/${part}")
        endif()
        string(MAKE_C_IDENTIFIER ${group} group)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Parsing the standard library takes most of the time of a small file. A debug build does without,
# so that each file shows that it includes what it needs.
function(nio_precompile_headers target)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" OR NIO_SANITIZE)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()

if(NIO_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(NIO_LTO AND NOT DEFINED NIO_LTO_WORKS)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT works OUTPUT ignored LANGUAGES CXX)
    set(NIO_LTO_WORKS ${works} CACHE INTERNAL "This compiler optimises at link time")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Machine code beside the intermediate one: tests are linked without optimising once more.
    set(CMAKE_CXX_COMPILE_OPTIONS_IPO -flto=auto -ffat-lto-objects)
endif()

function(nio_link_time_optimise target)
    if(NIO_LTO AND NIO_LTO_WORKS)
        set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
    endif()
endfunction()

# nio_library(target exports): how a library is made. An archive is plain, position-independent
# machine code, for programs, plugins and compilers of all kinds. Programs that are optimised at link
# time link ${target}-optimised instead: the same objects, with the intermediate code that the archive
# is rid of. Of a shared library nothing is visible but what `exports` lists.
function(nio_library target exports)
    set_target_properties(${target} PROPERTIES
        CXX_EXTENSIONS OFF
        POSITION_INDEPENDENT_CODE ON
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    nio_compile_options(${target})
    # Its own functions may be inlined, as they are where code is not position-independent.
    target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
    add_library(${target}-optimised INTERFACE)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
        target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}")
        set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exports})
        nio_link_time_optimise(${target})
    elseif(NIO_LTO AND NIO_LTO_WORKS AND CMAKE_OBJCOPY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Other compilers' objects would have the intermediate code alone.
        nio_link_time_optimise(${target})
        set(optimised ${CMAKE_CURRENT_BINARY_DIR}/optimised/lib${target}.a)
        add_custom_command(TARGET ${target} POST_BUILD
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/optimised
            COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${target}> ${optimised}
            COMMAND ${CMAKE_OBJCOPY} --wildcard --remove-section=.gnu.lto_*
                    --remove-section=.gnu.debuglto_* $<TARGET_FILE:${target}>
            BYPRODUCTS ${optimised}
            VERBATIM)
        target_link_libraries(${target}-optimised INTERFACE ${optimised} Threads::Threads)
        target_include_directories(${target}-optimised INTERFACE
            $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
        target_compile_features(${target}-optimised INTERFACE cxx_std_20)
        add_dependencies(${target}-optimised ${target})
        return()
    endif()
    target_link_libraries(${target}-optimised INTERFACE ${target})
endfunction()

# For what is linked often and need not be fast.
function(nio_link_plainly target)
    if(NIO_LTO AND NIO_LTO_WORKS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_link_options(${target} PRIVATE -fno-lto)
    endif()
endfunction()
