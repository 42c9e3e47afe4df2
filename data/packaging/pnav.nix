# Nix expression, for pkgs.callPackage.  Parsed, but not built.  `hash` is that of the
# source archive of a release.
{ lib, stdenv, fetchurl, pkg-config, ncurses, pcre2, zlib, xxHash, zstd, xz, lz4, expat, curl
, sqlite, elfutils, capstone, libiberty, isa-l }:

stdenv.mkDerivation rec {
  pname = "pnav";
  version = "0.2.0";
  src = fetchurl {
    url = "https://example.org/pnav-${version}.tar.xz";
    hash = lib.fakeHash;
  };
  nativeBuildInputs = [ pkg-config ];
  buildInputs = [ ncurses pcre2 zlib xxHash zstd xz lz4 expat curl sqlite elfutils
    capstone libiberty isa-l ];
  meta = {
    description = "Browse profiles and traces in the terminal";
    license = lib.licenses.bsd2;
    platforms = lib.platforms.linux;
  };
}
