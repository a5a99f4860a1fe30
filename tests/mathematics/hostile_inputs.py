"""Inputs made to crash, stall, fill memory or run code. Run as a program: verdicts of all, then the peak memory in MB."""

from __future__ import annotations

from pathlib import Path

HOSTILE: dict[str, tuple[str, str]] = {
    "power towers": ("9^{9^{9^{9}}}", "9^{9^{9^{8}}}"),
    "iterated factorial": ("((9!)!)!", "1"),
    "a factorial past the bound": ("99999999!", "1"),
    "nested parentheses": ("(" * 5000 + "1" + ")" * 5000, "1"),
    "open braces": ("{" * 5000, "1"),
    "open fractions": ("\\frac{" * 3000, "1"),
    "chained roots": ("\\sqrt" * 3000 + "2", "1"),
    "minus signs": ("-" * 5000 + "1", "1"),
    "chained powers": ("2^" * 3000 + "2", "1"),
    "signed exponents": ("2^-" * 50 + "2", "1"),
    "long sums": ("+".join(["x"] * 5000), "5000x"),
    "a power that must not be expanded": ("(a+b+c+d+e+f+g+h)^{60}", "(h+g+f+e+d+c+b+a)^{60}"),
    "an exponent of ten digits": ("(x+1)^{1000000000}", "(1+x)^{1000000000}"),
    "nested powers": ("((((((x+1)^9+1)^9+1)^9+1)^9+1)^9+1)^9", "x"),
    "many digits": ("1" * 100_000, "1"),
    "a huge scientific exponent": ("1e9999999999", "1"),
    "percent signs": ("5" + "%" * 3000, "1"),
    "dots": ("." * 9000, "1"),
    "long lists": (",".join(map(str, range(3000))), ",".join(map(str, range(3000, 0, -1)))),
    "a large set": ("\\{" + ",".join(f"x_{i}+1" for i in range(58)) + "\\}", "\\{1\\}"),
    "the sine of a huge number": ("\\sin(10^{100})", "0"),
    "a binomial past the bound": ("\\binom{100000}{50000}", "1"),
    "plus or minus": ("\\pm" * 200 + "1", "1"),
    "units": ("5 " + "cm " * 3000, "5"),
    "open matrices": ("\\begin{pmatrix}" * 500, "1"),
    "python": ("__import__('os').system('touch hostile_was_here')", "0"),
    "markup": ("<script>alert(1)</script>", "1"),
    "null bytes": ("\x00" * 1000, "1"),
    "a lone surrogate": ("\ud800", "1"),
    "combining marks": ("1" + "\u0301" * 5000, "1"),
    "emoji": ("😀" * 1000, "1"),
    "words": ("and " * 3000, "1"),
    "a word of ten thousand letters": ("a" * 10_000, "a"),
    "repeating dots": ("0." + "\\dot{3}" * 1000, "1/3"),
    "bars": ("|" * 3000, "1"),
    "dollars": ("$" * 10_000, "1"),
    "boxes": ("\\boxed{" * 2000, "1"),
    "text commands": ("\\text{" * 2000 + "5", "5"),
    "final tags": ("<final>" * 1000 + "5", "5"),
    "prose": ("We try again. " * 3000, "6"),
    "separators": ("1," * 4000 + "x", "1"),
    "hyphens": ("abc-" * 2500, "1"),
    "open intervals": ("]1," * 3000, "1"),
    "open sets": ("\\{" * 4000, "1"),
    "labelled brackets": ("[a:" * 3000 + "]", "1"),
    "indices": ("x_" * 3000 + "1", "x"),
    "zero to the zero": ("0^0", "1"),
    "division by zero": ("1/0", "2/0"),
    "a root of index zero": ("\\sqrt[0]{2}", "1"),
    "cancellation": ("\\sin(1)^2+\\cos(1)^2-1", "10^{-60}"),
    "a power of a huge number": ("(10^{50})^{(10^{50})}", "1"),
    "continued fractions": ("\\frac{1}{1+" * 55 + "1" + "}" * 55, "0.618"),
    "a set up to a huge number": ("\\{x \\in \\mathbb{Z} : 0 < x < 10^{100}\\}", "1"),
    "an evaluation without end": ("10^{(5^{5^{5^{5^{5}}}}\\cdot \\log_{10}(5)-4)}", "x"),
}

if __name__ == "__main__":
    from covary.mathematics.equivalence import equivalent

    for one, other in HOSTILE.values():
        equivalent(one, other)
        equivalent(other, one)
    # VmHWM counts from exec on; getrusage's figure would include the memory of whatever process started this one.
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    print(int(line.split()[1]) // 1024)
