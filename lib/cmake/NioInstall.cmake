# What `cmake --install` puts where, for find_package(nio CONFIG) and for pkg-config.
# With --component nio-runtime what runs, nio-development what others build with.
include(CMakePackageConfigHelpers)

set(configDir ${CMAKE_INSTALL_LIBDIR}/cmake/nio)

install(TARGETS nio nio-smpp EXPORT nioTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT nio-development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT nio-runtime
            NAMELINK_COMPONENT nio-development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/nio ${PROJECT_SOURCE_DIR}/lib/smpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT nio-development
    FILES_MATCHING PATTERN "*.h")
if(TARGET nio-tls)
    install(TARGETS nio-tls EXPORT nioTlsTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT nio-development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT nio-runtime
                NAMELINK_COMPONENT nio-development)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/lib/nio-tls
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT nio-development
        FILES_MATCHING PATTERN "*.h")
    # Apart: a system without OpenSSL can use the rest.
    install(EXPORT nioTlsTargets NAMESPACE nio:: DESTINATION ${configDir}
        COMPONENT nio-development)
    set(tlsPackage nio-tls)
endif()
install(EXPORT nioTargets NAMESPACE nio:: DESTINATION ${configDir} COMPONENT nio-development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/lib/cmake/nioConfig.cmake.in
    ${PROJECT_BINARY_DIR}/nioConfig.cmake INSTALL_DESTINATION ${configDir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nioConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nioConfig.cmake ${PROJECT_BINARY_DIR}/nioConfigVersion.cmake
    DESTINATION ${configDir} COMPONENT nio-development)

# Relative to the file itself, so that the prefix may be chosen at installation.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(pcPrefix ${CMAKE_INSTALL_PREFIX})
    set(pcLibdir ${CMAKE_INSTALL_LIBDIR})
else()
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pcPrefix "\${pcfiledir}/${up}")
    set(pcLibdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(pcIncludedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
    set(pcIncludedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
foreach(package nio nio-smpp ${tlsPackage})
    configure_file(${PROJECT_SOURCE_DIR}/lib/cmake/${package}.pc.in
        ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT nio-development)
endforeach()

# Once its owner has chosen one.
if(EXISTS ${PROJECT_SOURCE_DIR}/LICENSE)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT nio-runtime)
endif()
