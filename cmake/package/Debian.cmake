# The Debian package: what an installation contains, under /usr.
# `./quickstart package` makes it with CPack.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tenon)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Tenon authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ahead-of-time compiler for machine-learning models")
set(CPACK_PACKAGE_DESCRIPTION
    "Compiles ONNX files, TensorFlow models and Hugging Face checkpoints to native code. Has the tool, the runtime, the \
headers, and the packages for CMake, pkg-config and Python.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# dpkg-shlibdeps finds the libraries, but not always LLVM's, which is in a folder
# of its own. The tool also starts two programs, to link executables.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libllvm${LLVM_VERSION_MAJOR}, clang-${LLVM_VERSION_MAJOR}, lld-${LLVM_VERSION_MAJOR}, libc6-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy")
include(CPack)
