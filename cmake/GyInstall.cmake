# GyInstall.cmake - libgpuyard as one shared library, headers, CMake package and pkg-config file.
