# shellcheck shell=bash disable=SC2034 # the lists are used by those who source this
# packages.sh - the Debian and Ubuntu packages that quickstart and test need, and how they get there; sourced by both.
# SPDX-License-Identifier: GPL-3.0-or-later

GY_PACKAGES_BUILD="gcc libc6-dev make cmake pkg-config zlib1g-dev libgsl-dev libcjson-dev nettle-dev"
GY_PACKAGES_RUN="gnuplot-nox tzdata"
GY_PACKAGES_TEST="libcriterion-dev python3 poppler-utils librsvg2-bin g++ binutils locales mandoc"
GY_PACKAGES_LINT="clang-format clang-tidy shellcheck git"
GY_PACKAGES_CLANG="clang libclang-rt-dev"

# install_missing PACKAGES...: leaves all of them installed, or says what is missing and exits with 2.  Asks no server
# when nothing is missing.
install_missing() {
    local missing=() as_root=() p
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say_what_is_needed "$@"
        return
    fi
    for p in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "$0: needs these packages, and neither root nor sudo to install them: ${missing[*]}" >&2
            exit 2
        fi
        as_root=(sudo)
    fi
    echo "installing: ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -c '
        apt-get -qq update && apt-get -qq -y --no-install-recommends install "$@" >/dev/null' sh "${missing[@]}" || {
        echo "$0: apt-get could not install: ${missing[*]}" >&2
        exit 2
    }
}

# On a system without apt-get: fine when all tools and libraries are there, else their names.
say_what_is_needed() {
    local needed=() x
    for x in cc make cmake pkg-config gnuplot; do
        command -v "$x" >/dev/null || needed+=("$x")
    done
    for x in zlib gsl libcjson nettle; do
        pkg-config --exists "$x" 2>/dev/null || needed+=("$x with its headers")
    done
    [ ${#needed[@]} -gt 0 ] || return 0
    echo "$0: this is neither Debian nor Ubuntu; please install:$(printf ' %s,' "${needed[@]}" | sed 's/,$//')" >&2
    echo "$0: (Debian's names: $*)" >&2
    exit 2
}

# cmake 3.25 or later, as in Debian 12 and Ubuntu 23.04.
need_cmake() {
    local version
    version=$(cmake --version | sed -n 's/^cmake version //p')
    if [ "$(printf '%s\n3.25\n' "$version" | sort -V | head -1)" != 3.25 ]; then
        echo "$0: needs cmake 3.25 or later, this is $version" >&2
        exit 2
    fi
}
