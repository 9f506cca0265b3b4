# nio_header_package(CLI11 CLI11::CLI11 CLI/CLI.hpp): the target of a header-only package, from the
# package's own CMake files or, where a system packs none, from its header. Check `if(TARGET ...)`.
function(nio_header_package package target header)
    find_package(${package} CONFIG QUIET GLOBAL)
    if(TARGET ${target})
        return()
    endif()
    find_path(${package}_HEADER_DIR ${header})
    mark_as_advanced(${package}_HEADER_DIR)
    if(${package}_HEADER_DIR)
        add_library(${target} INTERFACE IMPORTED GLOBAL)
        target_include_directories(${target} SYSTEM INTERFACE ${${package}_HEADER_DIR})
    endif()
endfunction()
