# SPDX-License-Identifier: MIT
# What is installed, and how others find it: find_package(zcstream) and pkg-config. Relocatable.
include(CMakePackageConfigHelpers)
set(ZCS_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/zcstream)

install(TARGETS zcstream EXPORT zcstreamTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/zcstream DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
if(ZCS_APP)
    install(TARGETS zcapp RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(CODE "
        set(template [[${PROJECT_SOURCE_DIR}/cmake/zcapp@.service.in]])
        set(scratch [[${PROJECT_BINARY_DIR}]])
        set(bindir [[${CMAKE_INSTALL_BINDIR}]])
        set(docdir [[${CMAKE_INSTALL_DOCDIR}]])")
    install(SCRIPT cmake/InstallService.cmake)
endif()

install(EXPORT zcstreamTargets NAMESPACE zcstream:: DESTINATION ${ZCS_PACKAGE_DIR})
configure_package_config_file(cmake/zcstreamConfig.cmake.in zcstreamConfig.cmake
    INSTALL_DESTINATION ${ZCS_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(zcstreamConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zcstreamConfig.cmake ${PROJECT_BINARY_DIR}/zcstreamConfigVersion.cmake
    DESTINATION ${ZCS_PACKAGE_DIR})

# zcstream.pc finds its prefix from where it lies itself.
set(ZCS_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ZCS_PC_PREFIX /${ZCS_PC_DIR} /)
set(ZCS_PC_LIBS "")
if(ZCS_WITH_CUDA)
    string(APPEND ZCS_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()
if(ZCS_WITH_V4L2)
    string(APPEND ZCS_PC_LIBS " -lv4l2")
endif()
if(ZCS_WITH_PNG)
    string(APPEND ZCS_PC_LIBS " -lpng")
endif()
configure_file(cmake/zcstream.pc.in zcstream.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zcstream.pc DESTINATION ${ZCS_PC_DIR})
