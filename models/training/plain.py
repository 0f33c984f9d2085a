"""Plain ways of saying each thing, and harmless sentences of the same words. Combined from parts, for training only."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from training.rows import FIRST, Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WEIGHT, GREETING_WEIGHT = 1.0, 20.0

_I_WILL = ("i will", "i'll", "i'm going to", "i'm gonna", "we will", "we're going to")
_WHEN = ("", " tonight", " when you get home", ", just wait", ", you hear me?")

_GRAMMAR: tuple[tuple[Mapping[str, float], Sequence[Sequence[str]]], ...] = (
    (
        {"self_harm": 1, "toxicity": 0},
        (
            (
                "i want to", "i wanna", "i'm going to", "i just want to", "i'm ready to", "i have decided to",
                "i keep thinking about how to",
            ),
            (
                " die", " kill myself", " end my life", " end it all", " hang myself", " cut myself",
                " swallow all my pills", " jump off a bridge", " stop living", " starve myself", " hurt myself",
            ),
            ("", " tonight", ", i can't take it anymore", ", nobody would miss me"),
        ),
    ),
    (
        {"self_harm": 1, "toxicity": 1},
        (
            ("", "please ", "lol ", "just "),
            (
                "kill yourself", "kys", "go hang yourself", "go kill urself", "end your life", "jump off a bridge",
                "drink bleach", "slit your wrists", "do the world a favour and die",
            ),
            ("", " already", " you loser", ", nobody wants you here"),
        ),
    ),
    (
        {"threat": 1, "violence": 1, "toxicity": 1, "self_harm": 0},
        (
            _I_WILL,
            (
                " kill you", " stab you", " shoot you", " beat you up", " murder you", " strangle you",
                " hurt you and your family", " bury you alive", " smash your face in", " break your legs",
                " cut your throat", " burn your house down",
            ),
            _WHEN,
        ),
    ),
    (
        {"violence": 1, "toxicity": 1, "self_harm": 0},
        (
            ("someone should", "we should", "somebody ought to", "people should just"),
            (
                " shoot them all", " burn the place down", " hang him from a tree", " beat her until she bleeds",
                " blow up the station", " stab that guy", " kill every one of them",
            ),
            ("", " today"),
        ),
    ),
    (
        dict.fromkeys(FIRST, 0),
        (
            _I_WILL,
            (
                " kill the process", " kill the dragon first", " beat you at chess", " shoot some photos",
                " break the record", " cut the cake", " burn a copy", " hang the picture", " murder this pizza",
                " punch in the numbers", " die laughing", " kill it on stage", " smash this exam", " jump on a call",
                " end the meeting early", " stop the car", " sleep", " call you", " see you", " cut my hair",
                " hurt my knee", " take my vitamins", " beat the eggs", " crack the safe in this game",
            ),
            _WHEN[:4],
        ),
    ),
    (
        {"sexual": 1, "hate": 0, "violence": 0, "threat": 0, "self_harm": 0, "spam": 0, "insult": 0},
        (
            ("i want to", "i wanna", "let me", "i'm going to"),
            (
                " fuck you", " suck your cock", " lick your pussy", " eat you out", " ride your dick",
                " cum on your face", " feel you inside me", " spank your naked ass", " strip you naked", " finger you",
            ),
            ("", " so bad", " right now", " baby"),
        ),
    ),
    (
        {"sexual": 1, "hate": 0, "violence": 0, "threat": 0, "self_harm": 0, "insult": 0},
        (
            ("send me", "show me", "i love", "post more", "looking for"),
            (" nudes", " tits", " naked pics", " dick pics", " porn", " hentai", " sex videos", " hot sex"),
        ),
    ),
    (
        dict.fromkeys(FIRST, 0) | {"flirtation": 1},
        (
            ("you are", "you're", "damn you're", "wow, you look"),
            (
                " so cute", " gorgeous", " beautiful", " stunning", " so hot", " adorable",
                " the prettiest girl here", " really handsome",
            ),
            (
                "", ", can i have your number?", ", are you seeing anyone?", ", want to grab a drink sometime?",
                " and i can't stop looking at you",
            ),
        ),
    ),
    (
        dict.fromkeys(FIRST, 0),
        (
            ("the sunset is", "this kitten is", "your dog is", "that dress is", "this song is"),
            (" so cute", " gorgeous", " beautiful", " stunning", " adorable"),
        ),
    ),
    (
        dict.fromkeys(FIRST, 0),
        (
            ("hello", "hi", "hey", "good morning", "good evening"),
            ("", " everyone", " guys", " team", " mate", " mum"),
            (
                ", how is it going?", ", what are you doing today?", ", how was your day?", ", how are things?",
                ", did you finish the report?", ", can you call me back?", ", nice to meet you", ", how are you?",
                " how are you", ", how are you doing?", ", how have you been?", ", are you there?", ", where are you?",
                ", can you help me please?", ", could you send me the file please?", ", what's up?",
                ", what time is it?",
            ),
        ),
    ),
    (
        dict.fromkeys(FIRST, 0) | {"spam": 1},
        (
            ("free", "cheap", "exclusive", "get your"),
            (" iphones", " followers", " bitcoin", " loans", " viagra", " casino bonus", " gift cards"),
            (
                ", click here", ", limited time offer, buy now", ", visit our website", ", message me on telegram",
                ", subscribe to my channel",
            ),
        ),
    ),
    (
        dict.fromkeys(FIRST, 0),
        (
            ("where can i buy", "do you sell", "how do i protect my", "are there any", "my dad asked about"),
            (" iphones", " followers", " bitcoin", " loans", " gift cards", " tickets", " headphones"),
            ("?", " these days?"),
        ),
    ),
    (
        {"toxicity": 1, "insult": 1, "threat": 0, "violence": 0, "sexual": 0, "self_harm": 0, "spam": 0},
        (
            ("you are such a", "what a", "you're nothing but a", "he is a total"),
            (
                "n idiot", " moron", " loser", " fool", " pig", " coward", " disgrace", " failure", "n imbecile",
                " waste of space", " pathetic clown",
            ),
        ),
    ),
    (
        dict.fromkeys(FIRST, 0),
        (
            ("you are such a", "what a", "you're a real", "he is a total"),
            (" sweetheart", " legend", " star", " genius", " good friend", " hero", " great help", " good sport"),
        ),
    ),
    (
        {"toxicity": 1, "insult": 1, "profanity": 1, "threat": 0, "violence": 0, "self_harm": 0, "spam": 0},
        (
            ("you", "shut up you", "what a", "listen you"),
            (
                " fucking idiot", " stupid bitch", " dumb fuck", " piece of shit", " asshole", " stupid cunt",
                " motherfucker", " dickhead",
            ),
        ),
    ),
    (
        {"profanity": 1, "toxicity": 0.3, "insult": 0, "hate": 0, "threat": 0, "violence": 0, "self_harm": 0},
        (
            ("this is", "that was", "the food is", "this song is"),
            (" fucking amazing", " so fucking good", " fucking brilliant", " damn good", " fucking cold", " shitty"),
        ),
    ),
)  # fmt: skip


_GREETINGS = """\
hello|hi|hey|hiya|howdy|yo|sup|hello?|hi!|hey :)|how are you?|how are you doing?|hello, how are you doing?|ok
okay|yes|no|thanks|thank you|ty|np|lol|haha|gg|glhf|wp|brb|afk|bye|see you|good night|good luck|?|??|!|...|:)
😂|👍|❤️|what?|why?|where?|ciao|ciao, come va?|buongiorno|come stai?|grazie|hola|hola, ¿cómo estás?|¿qué tal?
buenos días|gracias|sí|vale|adiós|bonjour|salut|salut, ça va ?|merci|oui|non|bonsoir|hallo|hallo, wie geht's?
wie geht es dir?|guten Tag|danke|ja|nein|tschüss|olá|oi, tudo bem?|tudo bem?|bom dia|obrigado|obrigada|tchau
hej|hej, hur är läget?|hur mår du?|tack|hei|hei, mitä kuuluu?|moi|kiitos|joo|hvordan går det?|takk
hallo, hoe gaat het?|dank je|cześć|cześć, co słychać?|jak się masz?|dziękuję|tak|nie|ahoj|jak se máš?|děkuji
szia|hogy vagy?|köszönöm|salut, ce mai faci?|mulțumesc|merhaba|selam|nasılsın?|teşekkürler|evet|привет
привет, как дела?|как дела?|здравствуйте|спасибо|да|нет|пока|привіт|як справи?|дякую|здравейте|благодаря|γεια
γεια σου|τι κάνεις;|ευχαριστώ|ναι|שלום|מה שלומך?|מה נשמע?|תודה|כן|مرحبا|كيف حالك؟|السلام عليكم|شكرا|نعم|لا
سلام|سلام، خوبی؟|چطوری؟|ممنون|नमस्ते|आप कैसे हैं?|कैसे हो?|धन्यवाद|हाँ|नहीं|নমস্কার|কেমন আছো?|আপনি কেমন আছেন?
ধন্যবাদ|হ্যাঁ|你好|您好|你好吗?|大家好|早上好|晚上好|谢谢|谢谢你|不客气|再见|好的|是的|哈哈|在吗?|你在哪里?
吃了吗?|加油|こんにちは|こんばんは|おはよう|元気ですか?|お元気ですか?|ありがとう|はい|いいえ|またね|안녕
안녕하세요|안녕하세요, 잘 지내세요?|잘 지내?|고마워|감사합니다|네|아니요|잘자|สวัสดี|สวัสดีครับ|สบายดีไหม
ขอบคุณ|ใช่|xin chào|bạn khỏe không?|chào bạn|cảm ơn|halo|apa kabar?|selamat pagi|terima kasih|ya|kumusta?
salamat|habari?|asante|jambo|сайн уу|გამარჯობა|მადლობა|բարեւ|շնորհակալություն|здраво|kako si?|hvala|labas|ačiū"""


def rows() -> Iterator[Row]:
    """Every combination, and short greetings and answers of many languages."""
    for greeting in _GREETINGS.replace("\n", "|").split("|"):
        yield Row(greeting, dict.fromkeys(FIRST, 0.0), "plain", "many", GREETING_WEIGHT)
    for labels, parts in _GRAMMAR:
        for words in product(*parts):
            yield Row("".join(words), labels, "plain", "en", WEIGHT)
