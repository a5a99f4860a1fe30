"""Words of seven languages that answers are made of: connectives, lead-ins, hedges, statements, number words, languages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

LANGUAGES = {
    "en": ("english", "eng"), "bn": ("bangla", "bengali", "ben", "বাংলা"), "fi": ("finnish", "fin", "suomi"),
    "fr": ("french", "fra", "fre", "français"), "kk": ("kazakh", "kaz", "қазақша"), "lt": ("lithuanian", "lit", "lietuvių"),
    "tr": ("turkish", "tur", "türkçe"), "de": ("german", "deu", "ger"), "es": ("spanish", "spa"), "it": ("italian", "ita"),
    "pt": ("portuguese", "por"), "ru": ("russian", "rus"), "pl": ("polish", "pol"), "nl": ("dutch", "nld"), "sv": ("swedish", "swe"),
    "uk": ("ukrainian", "ukr"), "cs": ("czech", "ces"), "el": ("greek", "ell"), "id": ("indonesian", "ind"), "vi": ("vietnamese", "vie"),
}  # fmt: skip
DECIMAL_COMMA = frozenset(
    {"fi", "fr", "kk", "lt", "tr", "de", "es", "it", "pt", "ru", "pl", "nl", "sv", "uk", "cs", "el", "id", "vi"}
)
GROUPING_DOT = frozenset({"tr", "de", "es", "it", "pt", "nl", "el", "id", "vi"})

# Words that join parts. Those that are also products of letters count only in their own language.
OR_WORDS = {
    "en": "or", "bn": "বা অথবা কিংবা", "fi": "tai taikka", "fr": "ou", "kk": "немесе әлде", "lt": "arba ar", "tr": "veya ya yahut",
    "de": "oder", "es": "o u", "it": "o", "pt": "ou", "ru": "или", "nl": "of", "sv": "eller", "pl": "lub",
}  # fmt: skip
AND_WORDS = {
    "en": "and", "bn": "এবং ও আর", "fi": "ja sekä", "fr": "et", "kk": "және мен пен бен", "lt": "ir bei", "tr": "ve ile",
    "de": "und", "es": "y e", "it": "e", "pt": "e", "ru": "и", "nl": "en", "sv": "och", "pl": "i",
}  # fmt: skip

# A lead-in: what stands before an answer and says no more than "here it comes".
LEAD_INS = (
    "final answer|the final answer|answer|ans|the answer|result|the result|solution|the solution|solutions|value|the value|"
    "correct answer|exact answer|hence|thus|so|therefore|then|total|the total|"
    "চূড়ান্ত উত্তর|উত্তর|সঠিক উত্তর|ফলাফল|সমাধান|নির্ণেয় মান|মান|নির্ণেয় সমাধান|অতএব|সুতরাং|মোট|নির্ণেয়|"
    "vastaus|lopullinen vastaus|tulos|ratkaisu|siis|joten|arvo|"
    "réponse|la réponse|réponse finale|la réponse finale|résultat|le résultat|solution|la solution|donc|ainsi|valeur|la valeur|"
    "cevap|yanıt|sonuç|son cevap|nihai cevap|çözüm|değer|değeri|dolayısıyla|öyleyse|"
    "жауап|жауабы|соңғы жауап|нәтиже|нәтижесі|шешім|шешімі|мәні|сонымен|демек|"
    "atsakymas|galutinis atsakymas|ats|rezultatas|sprendimas|reikšmė|vertė|taigi|todėl|vadinasi|"
    "antwort|respuesta|risposta|resposta|ответ|odpowiedź|antwoord|svar"
)
COPULAS = (
    "is|are|equals|equal to|is equal to|will be|was|be|becomes|হলো|হল|হচ্ছে|হবে|হয়|on|ovat|olisi|est|sont|vaut|égale|"
    "тең|болады|болып табылады|yra|lygus|lygu|lygi|eşittir|dır|dir|olur|olarak bulunur|ist|es|è|é|равно|равен"
)
HEDGES = (
    "approx|approximately|about|roughly|nearly|almost|around|circa|ca|প্রায়|প্রায়|আনুমানিক|noin|likimain|suunnilleen|environ|"
    "approximativement|à peu près|yaklaşık|yaklaşık olarak|жуық|жуықтап|шамамен|жуықтап алғанда|apie|apytiksliai|maždaug|apytikriai|"
    "env|n|шам|apytiksl|yakl|etwa|ungefähr|aproximadamente|circa|примерно|около"
)
# Small words that carry no mathematics at either end of a part.
FILLERS = (
    "the|a|an|only|exactly|respectively|each|both|in total|altogether|of|to|at|by|for|we get|we have|let|that|it|its|this|given|i e|e g|"
    "units|unit|একক|টি|টা|জন|বছর বয়স|এর|কেবল|শুধু|যথাক্রমে|মোট|পাওয়া যায়|আমরা পাই|le|la|les|un|une|des|de|du|respectivement|vastaavasti|"
    "yksikköä|yksikkö|unité|unités|birim|бірлік|vienetai|vienetų|vienetas|atitinkamai|sırasıyla|сәйкесінше|тиісінше|ans|answer|qed|solution set|"
    "approximately equal to|real numbers|real number|all real numbers"
)

# Words that say that what follows is concluded from what stands before.
THEREFORE = frozenset(
    [
        "therefore",
        "thus",
        "hence",
        "so",
        "সুতরাং",
        "অতএব",
        "তাই",
        "ফলে",
        "siis",
        "joten",
        "näin",
        "donc",
        "ainsi",
        "dolayısıyla",
        "öyleyse",
        "yani",
        "сонымен",
        "демек",
        "сондықтан",
        "taigi",
        "todėl",
        "vadinasi",
        "consequently",
    ]
)

# Whole answers in words: canonical form ← spellings (casefolded, without punctuation).
STATEMENTS = {
    "no solution": (
        "no solution|no solutions|none exist|no real solution|no real solutions|there is no solution|has no solution|does not exist|none|not possible|impossible|"
        "the system has no solution|inconsistent|no such number|no root|no roots|no real roots|কোনো সমাধান নেই|কোন সমাধান নেই|সমাধান নেই|সমাধান নাই|কোনো সমাধান নাই|"
        "ei ratkaisua|ei ratkaisuja|ei reaalisia ratkaisuja|ratkaisua ei ole|ei ole ratkaisua|aucune solution|pas de solution|il n'y a pas de solution|"
        "n'a pas de solution|pas de solutions|çözüm yok|çözümü yok|çözüm yoktur|çözümü yoktur|reel çözüm yok|шешімі жоқ|шешім жоқ|шешуі жоқ|түбірі жоқ|"
        "nėra sprendinių|sprendinių nėra|neturi sprendinių|sprendinio nėra|nėra sprendinio|keine lösung|sin solución|нет решений"
    ),
    "undefined": (
        "undefined|undefiend|অনির্ধারিত|অনির্ণেয়|অনির্ণেয়|not defined|is undefined|অসংজ্ঞায়িত|অসংজ্ঞায়িত|সংজ্ঞায়িত নয়|määrittelemätön|ei määritelty|indéfini|non défini|non définie|"
        "indéfinie|tanımsız|tanımsızdır|анықталмаған|анықталмайды|neapibrėžtas|neapibrėžta|neapibrėžtis|undefiniert|indefinido|не определено"
    ),
    "infinitely many": (
        "infinitely many|infinitely many solutions|infinite solutions|infinite|অসংখ্য|অসংখ্য সমাধান|অসীম সংখ্যক|äärettömän monta|äärettömän monta ratkaisua|"
        "une infinité de solutions|infinité de solutions|sonsuz çözüm|sonsuz sayıda|sonsuz çok çözüm|шексіз көп|шексіз көп шешім|be galo daug sprendinių|be galo daug"
    ),
    "yes": "yes|true|correct|হ্যাঁ|সত্য|kyllä|tosi|totta|oui|vrai|evet|doğru|иә|ақиқат|дұрыс|taip|tiesa|teisinga",
    "no": "no|false|incorrect|না|মিথ্যা|ei|epätosi|non|faux|hayır|yanlış|жоқ|жалған|бұрыс|ne|netiesa|klaidinga",
    "empty set": "empty set|the empty set|null set|ফাঁকা সেট|শূন্য সেট|tyhjä joukko|ensemble vide|l'ensemble vide|boş küme|бос жиын|tuščioji aibė|tuščia aibė",
    "even": "even|জোড়|জোড়|parillinen|pair|çift|жұп|lyginis",
    "odd": "odd|বিজোড়|বিজোড়|pariton|impair|tek|тақ|nelyginis",
    "infinity": "infinity|অসীম|ääretön|infini|sonsuz|шексіздік|begalybė",
    "all real numbers": (
        "all real numbers|any real number|every real number|set of all real numbers|the set of all real numbers|all reals|সকল বাস্তব সংখ্যা|সব বাস্তব সংখ্যা|"
        "kaikki reaaliluvut|tous les nombres réels|tous les réels|tüm reel sayılar|tüm gerçek sayılar|барлық нақты сандар|visi realieji skaičiai"
    ),
}  # fmt: skip
OPPOSITES = frozenset(
    {frozenset({"yes", "no"}), frozenset({"even", "odd"}), frozenset({"no solution", "infinitely many"})}
)
PLACEHOLDERS = (
    "numeric result|numerical result|number|number or fraction|symbolic result|symbolic expression|expression|answer|final answer|your answer|"
    "your final answer|your answer here|insert answer|result|final result|সংখ্যা বা ভগ্নাংশ|সংখ্যা|চূড়ান্ত উত্তর|উত্তর|réponse|résultat numérique|nombre|vastaus|"
    "numeerinen tulos|luku|sayısal sonuç|sonuç|cevap|сандық нәтиже|жауап|skaitinis rezultatas|atsakymas|unknown|n/a|none given|no answer|not given|null|nan|todo|tbd"
)

_SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    "bn": "শূন্য এক দুই তিন চার পাঁচ ছয় সাত আট নয় দশ এগারো বারো তেরো চৌদ্দ পনেরো ষোলো সতেরো আঠারো উনিশ বিশ",
    "fi": "nolla yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen yksitoista kaksitoista kolmetoista neljätoista viisitoista kuusitoista seitsemäntoista kahdeksantoista yhdeksäntoista kaksikymmentä",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt",
    "tr": "sıfır bir iki üç dört beş altı yedi sekiz dokuz on on_bir on_iki on_üç on_dört on_beş on_altı on_yedi on_sekiz on_dokuz yirmi",
    "kk": "нөл бір екі үш төрт бес алты жеті сегіз тоғыз он он_бір он_екі он_үш он_төрт он_бес он_алты он_жеті он_сегіз он_тоғыз жиырма",
    "lt": "nulis vienas du trys keturi penki šeši septyni aštuoni devyni dešimt vienuolika dvylika trylika keturiolika penkiolika šešiolika septyniolika aštuoniolika devyniolika dvidešimt",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "bn": "বিশ ত্রিশ চল্লিশ পঞ্চাশ ষাট সত্তর আশি নব্বই",
    "fi": "kaksikymmentä kolmekymmentä neljäkymmentä viisikymmentä kuusikymmentä seitsemänkymmentä kahdeksankymmentä yhdeksänkymmentä",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix",
    "tr": "yirmi otuz kırk elli altmış yetmiş seksen doksan",
    "kk": "жиырма отыз қырық елу алпыс жетпіс сексен тоқсан",
    "lt": "dvidešimt trisdešimt keturiasdešimt penkiasdešimt šešiasdešimt septyniasdešimt aštuoniasdešimt devyniasdešimt",
}
_HUNDRED = {
    "en": "hundred",
    "bn": "শত একশ একশত",
    "fi": "sata sataa",
    "fr": "cent cents",
    "tr": "yüz",
    "kk": "жүз",
    "lt": "šimtas šimtai",
}
_THOUSAND = {
    "en": "thousand",
    "bn": "হাজার",
    "fi": "tuhat tuhatta",
    "fr": "mille",
    "tr": "bin",
    "kk": "мың",
    "lt": "tūkstantis tūkstančiai tūkstančių",
}


def language_code(language: str | None) -> str:
    """ISO 639-1 code of a language given by name or code; "en" for none, the text itself, lowered, for an unknown one.

    >>> language_code("Bangla"), language_code("fi-FI"), language_code(None)
    ('bn', 'fi', 'en')
    """
    return _language_code(language or "en")


@cache
def _language_code(language: str) -> str:
    lowered = language.strip().casefold()
    short = re.split(r"[-_]", lowered)[0]
    for code, names in LANGUAGES.items():
        if short == code or lowered in names or short in names:
            return code
    return short


@cache
def connectives(language: str) -> dict[str, str]:
    """Word → "or" or "and": the language's own words, English ones, and those of other languages that can't be letters' products."""
    joined: dict[str, str] = {}
    for kind, table in (("or", OR_WORDS), ("and", AND_WORDS)):
        for code, words in table.items():
            for word in folded(words).split():
                if code in (language, "en") or (  # a single letter of another language is a symbol
                    (len(word) > 2 or not word.isascii()) and code not in ("pt", "it", "es", "ru", "pl")
                ):
                    joined.setdefault(word, kind)
    return joined


@cache
def number_words(language: str) -> dict[str, int]:
    """Number word → value, of the language and of English; tens joined to units where the language writes them so."""
    words: dict[str, int] = {}
    for code in {language, "en"}:
        small = [word.replace("_", " ") for word in folded(_SMALL.get(code, "")).split()]
        tens = folded(_TENS.get(code, "")).split()
        words |= {word: value for value, word in enumerate(small)}
        words |= {word: 10 * (position + 2) for position, word in enumerate(tens)}
        for position, ten in enumerate(tens):
            for unit, word in enumerate(small[1:10], start=1):
                value = 10 * (position + 2) + unit
                words |= {f"{ten} {word}": value, f"{ten}-{word}": value, f"{ten}{word}": value}
    return words


def number_word(text: str, language: str) -> int | None:
    """Value of a number in words (0 to 999,999), None where it isn't one.

    >>> number_word("two hundred and five", "en"), number_word("on iki", "tr")
    (205, 12)
    """
    table = number_words(language)
    if text in table:
        return table[text]
    if len(text) > 80:
        return None
    hundreds = set(f"{_HUNDRED.get(language, '')} hundred".split())
    thousands = set(f"{_THOUSAND.get(language, '')} thousand".split())
    joining = {word for word, kind in connectives(language).items() if kind == "and"}
    total, group, run, seen = 0, 0, "", False
    for word in text.split():
        if word in joining and seen:
            continue
        if f"{run} {word}".strip() in table:
            run = f"{run} {word}".strip()
        elif word in hundreds or word in thousands:
            group += table.get(run, 0)
            run = ""
            if word in hundreds:
                group = max(group, 1) * 100
            else:
                total, group = total + max(group, 1) * 1000, 0
        elif word in table and not run:
            run = word
        else:
            return None
        seen = True
    return total + group + table.get(run, 0) if seen else None


@cache
def statement_of(words: str) -> str | None:
    """The canonical statement that the words make, None where they make none. `words` casefolded, blanks single."""
    return _statement_table().get(words)


@cache
def _statement_table() -> dict[str, str]:
    return {
        spelling.strip(): name for name, spellings in STATEMENTS.items() for spelling in folded(spellings).split("|")
    }


@cache
def placeholders() -> frozenset[str]:
    """Texts of prompts' placeholders, casefolded: they hold no value."""
    return frozenset(folded(PLACEHOLDERS).split("|"))


@cache
def phrases(kind: str) -> re.Pattern[str]:
    """Whole-word pattern of a kind of phrase ("lead", "copula", "hedge", "filler"), longest first."""
    ordered = sorted({phrase.strip() for phrase in _phrase_list(kind)}, key=len, reverse=True)
    return re.compile("(?:" + "|".join(map(re.escape, ordered)) + ")(?!\\w)")


@cache
def phrase_words(kind: str) -> frozenset[str]:
    """Single words of a kind of phrase."""
    return frozenset(word for phrase in _phrase_list(kind) for word in phrase.split())


@cache
def saying_nothing() -> frozenset[str]:
    """Words of lead-ins, copulas, fillers and hedges: a label made of them is none."""
    return frozenset(word for kind in ("lead", "copula", "filler", "hedge") for word in phrase_words(kind))


def _phrase_list(kind: str) -> list[str]:
    table = {"lead": LEAD_INS, "copula": COPULAS, "hedge": HEDGES, "filler": FILLERS}[kind]
    return folded(table).split("|")


def folded(text: str) -> str:
    """Casefolded and in NFC: the form in which words are looked up."""
    return unicodedata.normalize("NFC", text.casefold())
