# Homebrew formula.  Not tried: no Homebrew was at hand, and pnav has not been built on macOS.
# `url` and `sha256` are those of the source archive of a release.
class Pnav < Formula
  desc "Browse profiles and traces in the terminal"
  homepage "https://example.org/pnav"
  url "https://example.org/pnav-0.2.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "BSD-2-Clause"

  depends_on "pkgconf" => :build
  depends_on "capstone"
  depends_on "expat"
  depends_on "lz4"
  depends_on "ncurses"
  depends_on "pcre2"
  depends_on "sqlite"
  depends_on "xxhash"
  depends_on "xz"
  depends_on "zstd"

  def install
    system "./configure", "--disable-record", "--without-elfutils", *std_configure_args
    system "make", "install"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pnav --version")
  end
end
