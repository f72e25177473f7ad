# Tools/formula fills in where the sources of a release are, and their sum.
class Memento < Formula
  desc "Named save points for any folder"
  homepage "@HOMEPAGE@"
  url "@SOURCES@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on xcode: ["26.0", :build]
  depends_on macos: :sequoia
  depends_on "zstd"

  uses_from_macos "swift" => :build
  uses_from_macos "zlib"

  def install
    ["memento", "memento-remote-s3"].each do |product|
      system "Tools/build-release", "--disable-sandbox", "--product", product
    end
    bin.install ".build/release/memento"
    (libexec/"memento").install ".build/release/memento-remote-s3"
    man1.install Dir["man/*.1"]
    man5.install Dir["man/*.5"]
    bash_completion.install "completions/memento.bash" => "memento"
    zsh_completion.install "completions/_memento"
    fish_completion.install "completions/memento.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/memento --version").strip
    mkdir "folder" do
      (Pathname.pwd/"file").write "one"
      system bin/"memento", "save", "first"
      (Pathname.pwd/"file").write "two"
      system bin/"memento", "restore", "first"
      assert_equal "one", (Pathname.pwd/"file").read
    end
  end
end
