from __future__ import annotations

import pytest

from seemly.policies.protocol import Item, Match
from seemly.policies.url.policy import UrlOptions, UrlPolicy
from seemly.text.normalize import normalize

POLICY = UrlPolicy(UrlOptions())


def matches(text: str, language: str | None = None) -> tuple[Match, ...]:
    (finding,) = POLICY.check([Item(normalize(text), language=language)])
    for match in finding.matches:
        assert match.span.of(text) == match.match
    return finding.matches


# text, exact match, registrable domain
FOUND = [
    # with a scheme
    ("see https://example.com for more", "https://example.com", "example.com"),
    ("see http://www.example.co.uk/a/b?c=d#e ok", "http://www.example.co.uk/a/b?c=d#e", "example.co.uk"),
    ("HTTPS://EXAMPLE.COM/PATH", "HTTPS://EXAMPLE.COM/PATH", "example.com"),
    ("ftp://files.example.org/pub/x.zip", "ftp://files.example.org/pub/x.zip", "example.org"),
    ("wss://live.example.net/socket", "wss://live.example.net/socket", "example.net"),
    ("textseehttp://example.com/a", "http://example.com/a", "example.com"),
    ("http://http://example.com/a", "http://example.com/a", "example.com"),
    ("http://a.b.github.io/x", "http://a.b.github.io/x", "b.github.io"),
    ("http://example.com:8080/x", "http://example.com:8080/x", "example.com"),
    ("http://user:secret@example.com/", "http://user:secret@example.com/", "example.com"),
    ("http://a@b@example.com/", "http://a@b@example.com/", "example.com"),
    ("http://" + "a" * 300 + "@example.com/", "http://" + "a" * 300 + "@example.com/", "example.com"),
    ("http://evil.com\\@example.com/", "http://evil.com", "evil.com"),
    ("http://example.com#@evil.com/", "http://example.com#@evil.com/", "example.com"),
    ("http://example.com./x", "http://example.com./x", "example.com"),
    ("http://example.com?q=1", "http://example.com?q=1", "example.com"),
    ("https://web.archive.org/web/2020/http://example.com/x", None, "archive.org"),
    ("https://example.com/r?u=https://other.org/x", "https://example.com/r?u=https://other.org/x", "example.com"),
    ("https://bücher.example.de/straße", "https://bücher.example.de/straße", "example.de"),
    ("https://пример.рф/путь", "https://пример.рф/путь", "xn--e1afmkfd.xn--p1ai"),
    ("https://例子.公司.cn/", "https://例子.公司.cn/", "xn--fsqu00a.xn--55qx5d.cn"),
    ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/", None),
    ("http://intranet/wiki", "http://intranet/wiki", None),
    ("http://localhost:3000/", "http://localhost:3000/", None),
    # IP addresses
    ("http://192.168.0.1/admin", "http://192.168.0.1/admin", None),
    ("http://3232235777/", "http://3232235777/", None),
    ("http://0x7f.1/", "http://0x7f.1/", None),
    ("http://0xC0A80001/x", "http://0xC0A80001/x", None),
    ("http://[2001:db8::1]:8080/x", "http://[2001:db8::1]:8080/x", None),
    ("go to 203.0.113.9:8080 now", "203.0.113.9:8080", None),
    ("203.0.113.9/login.php", "203.0.113.9/login.php", None),
    # applications' schemes and invitations
    ("tg://resolve?domain=abc", "tg://resolve?domain=abc", None),
    ("open tg://settings.", "tg://settings", None),
    ("steam://run/440 starts it", "steam://run/440", None),
    ("join discord.gg/abcDEF", "discord.gg/abcDEF", "discord.gg"),
    ("t.me/joinchat/AAAA", "t.me/joinchat/AAAA", "t.me"),
    ("bit.ly/3abc", "bit.ly/3abc", "bit.ly"),
    # www and paths
    ("www.example.com rocks", "www.example.com", "example.com"),
    ("Www.Example.Com/x", "Www.Example.Com/x", "example.com"),
    ("www.example.it was down", "www.example.it", "example.it"),
    ("read example.it/pagina today", "example.it/pagina", "example.it"),
    ("example.pl/strona.html", "example.pl/strona.html", "example.pl"),
    ("example.com:8443.", "example.com:8443", "example.com"),
    ("example.com:8443/x", "example.com:8443/x", "example.com"),
    ("example.com?id=5", "example.com?id=5", "example.com"),
    ("last.fm/music/Arcade+Fire", "last.fm/music/Arcade+Fire", "last.fm"),
    ("//cdn.example.com/lib.js", "cdn.example.com/lib.js", "example.com"),
    # bare hosts
    ("a \u0301example.com", "example.com", "example.com"),
    ("-example.com", "example.com", "example.com"),
    ("buy at example.com today", "example.com", "example.com"),
    ("Example.com is mine", "Example.com", "example.com"),
    ("Example.Com is mine", "Example.Com", "example.com"),
    ("EXAMPLE.COM", "EXAMPLE.COM", "example.com"),
    ("my-shop.co.uk ships", "my-shop.co.uk", "my-shop.co.uk"),
    ("shop.example.com.br", "shop.example.com.br", "example.com.br"),
    ("try example.xyz or not", "example.xyz", "example.xyz"),
    ("coolgame.online is fun", "coolgame.online", "coolgame.online"),
    ("4chan.org", "4chan.org", "4chan.org"),
    ("163.com", "163.com", "163.com"),
    ("youtu.be", "youtu.be", "youtu.be"),
    ("visit mysite.rocks now", "mysite.rocks", "mysite.rocks"),
    ("mysite.pizza", "mysite.pizza", "mysite.pizza"),
    ("website: mysite.is", "mysite.is", "mysite.is"),
    ("a very long-domain-name.club", "long-domain-name.club", "long-domain-name.club"),
    ("mail.google.com", "mail.google.com", "google.com"),
    ("пример.рф работает", "пример.рф", "xn--e1afmkfd.xn--p1ai"),
    # scripts without spaces
    ("请访问example.com谢谢", "example.com", "example.com"),
    ("看https://example.com/，很好", "https://example.com/", "example.com"),
    ("网址https://example.com。谢谢", "https://example.com", "example.com"),
    ("https://example.com請看這裡", "https://example.com", "example.com"),
    ("https://example.com/page에서 봤어요", "https://example.com/page", "example.com"),
    ("example.com에서 샀어요", "example.com", "example.com"),
    ("「https://example.com/a」です", "https://example.com/a", "example.com"),
    ("https://zh.wikipedia.org/wiki/北京大学", "https://zh.wikipedia.org/wiki/北京大学", "wikipedia.org"),
    # what follows belongs to the sentence
    ("see https://example.com.", "https://example.com", "example.com"),
    ("see https://example.com/a, then", "https://example.com/a", "example.com"),
    ("is it https://example.com/a?", "https://example.com/a", "example.com"),
    ("wow https://example.com/a!!!", "https://example.com/a", "example.com"),
    ("hm https://example.com/a...", "https://example.com/a", "example.com"),
    ("hm https://example.com/a…", "https://example.com/a", "example.com"),
    ('"https://example.com/a"', "https://example.com/a", "example.com"),
    ("'https://example.com/a'", "https://example.com/a", "example.com"),
    ("“https://example.com/a”", "https://example.com/a", "example.com"),
    ("«https://example.com/a»", "https://example.com/a", "example.com"),
    ("`https://example.com/a`", "https://example.com/a", "example.com"),
    ("https://example.com/a's owner", "https://example.com/a", "example.com"),
    ("(https://example.com/a)", "https://example.com/a", "example.com"),
    ("(see https://example.com/a).", "https://example.com/a", "example.com"),
    ("https://en.wikipedia.org/wiki/Foo_(bar)", "https://en.wikipedia.org/wiki/Foo_(bar)", "wikipedia.org"),
    ("(https://en.wikipedia.org/wiki/Foo_(bar))", "https://en.wikipedia.org/wiki/Foo_(bar)", "wikipedia.org"),
    ("[text](https://example.com/a)", "https://example.com/a", "example.com"),
    ("[text](https://example.com/a_(b))", "https://example.com/a_(b)", "example.com"),
    ("<https://example.com/a>", "https://example.com/a", "example.com"),
    ('<a href="https://example.com/a">', "https://example.com/a", "example.com"),
    ("**https://example.com/a**", "https://example.com/a", "example.com"),
    ("||https://example.com/a||", "https://example.com/a", "example.com"),
    ("https://example.com/[a]", "https://example.com/[a]", "example.com"),
    ("have you seen example.com?", "example.com", "example.com"),
    ("example.com's owner", "example.com", "example.com"),
    ("it is example.com.Then we left", "example.com", "example.com"),
    ("https://example.com/a\nnext line", "https://example.com/a", "example.com"),
    ("https://example.com/a\ufeff,1", "https://example.com/a", "example.com"),
    # disguised
    ("hxxp://evil.com/a", "hxxp://evil.com/a", "evil.com"),
    ("hxxps://evil[.]com/a", "hxxps://evil[.]com/a", "evil.com"),
    ("hXXp://evil.com", "hXXp://evil.com", "evil.com"),
    ("h**p://evil.com/a", "h**p://evil.com/a", "evil.com"),
    ("http[:]//evil.com/a", "http[:]//evil.com/a", "evil.com"),
    ("http:\\\\evil.com\\a", "http:\\\\evil.com", "evil.com"),
    ("https:/evil.com/a", "https:/evil.com/a", "evil.com"),
    ("http//evil.com/a", "http//evil.com/a", "evil.com"),
    ("http:// evil.com/a", "http:// evil.com/a", "evil.com"),
    ("h t t p : / / evil.com/a", "h t t p : / / evil.com/a", "evil.com"),
    ("evil[.]com", "evil[.]com", "evil.com"),
    ("evil(.)com", "evil(.)com", "evil.com"),
    ("evil{.}com", "evil{.}com", "evil.com"),
    ("sub[.]evil[.]co[.]uk", "sub[.]evil[.]co[.]uk", "evil.co.uk"),
    ("evil[.com", "evil[.com", "evil.com"),
    ("evil [dot] com", "evil [dot] com", "evil.com"),
    ("evil(dot)com", "evil(dot)com", "evil.com"),
    ("evil (punkt) de", "evil (punkt) de", "evil.de"),
    ("evil dot com", "evil dot com", "evil.com"),
    ("go to evil DOT com now", "evil DOT com", "evil.com"),
    ("evilDOTcom", "evilDOTcom", "evil.com"),
    ("bit dot ly slash abc", "bit dot ly slash abc", "bit.ly"),
    ("shop dot evil dot com", "shop dot evil dot com", "evil.com"),
    ("evil . com", "evil . com", "evil.com"),
    ("evil .com", "evil .com", "evil.com"),
    ("www evil com", "www evil com", "evil.com"),
    ("www . evil . com", "www . evil . com", "evil.com"),
    ("www. evil .com", "www. evil .com", "evil.com"),
    ("e v i l s i t e . c o m", "e v i l s i t e . c o m", "evilsite.com"),
    ("w w w . e v i l . c o m", "w w w . e v i l . c o m", "evil.com"),
    ("h t t p s : / / e v i l . c o m", "h t t p s : / / e v i l . c o m", "evil.com"),
    ("evil。com", "evil。com", "evil.com"),
    ("ｅｖｉｌ．ｃｏｍ", "ｅｖｉｌ．ｃｏｍ", "evil.com"),
    ("ev\u200bil.com", "ev\u200bil.com", "evil.com"),
    ("https://ev\u200bil.com/a", "https://ev\u200bil.com/a", "evil.com"),
    ("𝐞𝐯𝐢𝐥.𝐜𝐨𝐦", "𝐞𝐯𝐢𝐥.𝐜𝐨𝐦", "evil.com"),
]

MANY = [
    ("https://a.com/x,https://b.com/y", ["https://a.com/x", "https://b.com/y"]),
    ("https://a.com/xhttps://b.com/y", ["https://a.com/x", "https://b.com/y"]),
    ("[a](https://x.com/a)[b](https://y.com/b)", ["https://x.com/a", "https://y.com/b"]),
    ("[https://x.com/a](https://x.com/a)", ["https://x.com/a", "https://x.com/a"]),
    ("example.com, www.example.org and http://example.net", ["example.com", "www.example.org", "http://example.net"]),
    ("jo@example.com or example.org", ["example.org"]),
    ("evil[.]com and example.com", ["evil[.]com", "example.com"]),
]

NOT_FOUND = """
Hello there. How are you?
I went home.Then I slept
ok.So I said no
it was the end.Next we go
word.it was fine
yes.in the house
no.is it true
me.to go there
he was late.as always
fine.we can go
lol.me too
thanks.so much
wait.what
stop.at once
i know.my friend said
hello.world
good.morning everyone
really?no.way
see you.love
I like it.cool
Ende.Danach kam er
fim.Com ele fui
ele foi.com ela
fin.de semana
nada.es verdad
c'est bon.la suite
report.pdf
see report.pdf and notes.docx
main.py
run main.py first
src/main.py
./run.sh
/usr/bin/script.sh
C:\\Users\\me\\file.zip
index.html
README.md
package.json
script.sh
setup.exe
photo.jpg
song.mp3
archive.tar.gz
app.js
style.css
data.csv
lib.so
build.rs
backup.zip
trailer.mov
a.out
node.js
Node.js and Vue.js
ASP.NET
VB.NET and ADO.NET
three.js
D3.js
Next.js
Socket.IO
System.IO
System.Net
java.io.File
v1.2.3
version 2.0.1
python 3.11.4
1.2.3.4
10.0.0.0/8
3.14
12.5km
1,234.56
$9.99
0.5mg
10.am
5.pm sharp
e.g.
e.g. this
i.e. that
i.e
U.S.
U.S.A.
U.K. and E.U.
a.m.
p.m.
10 a.m.to 5 p.m.
Ph.D.
z.B.
d.h.
u.a.
a.k.a.
Mr.Smith
Dr.Who
St.Louis
No.1
vs.the rest
etc.and so on
J.R.R. Tolkien
T.S.Eliot
foo.bar()
obj.name
self.name
this.id
user.email
console.log
console.log("x")
console.info("x")
os.path.join
np.array
df.head()
Math.max(1, 2)
event.target
window.open()
app.run()
list.map
string.format
req.body
$scope.name
my_obj.info
module.exports
import numpy.linalg
std::vector
jo@example.com
john.doe@example.co.uk
john.me+tag@gmail.com
first.last@mail.example.com
jo (at) gmail dot com
jo [at] gmail [dot] com
jo at gmail dot com
jo @ gmail.com
mali((at))outlook.com
@example.com
the dot com bubble
connect the dot to the line
polka dot dress
a dot in the middle
his .com address
...
. . . .
a.b.c.d
wow...really
and/or
he/she/they
24/7.
24.7/365
yes.no/maybe
://
http://
https://
www.
www..com
www.example
http:/
:// example
scheme://
and://or
http is a protocol
localhost
http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
example
.com
.net developer
com.
-.-
o.O
x.x
T.T
>.<
u.u
"end."Next
10:30.We left
(ok).Then
100%.So
cats,dogs.birds
MSL。UA
你好。再见
今天很好．明天
안녕.하세요
ок.да
привет.как дела
да.нет
2024.01.02
01.02.2024
192.168.0.1
fe80::1
00:1A:2B:3C:4D:5E
#hashtag.cool
""".strip().split("\n")


@pytest.mark.parametrize(("text", "expected", "domain"), FOUND)
def test_an_address_is_found_exactly(text: str, expected: str | None, domain: str | None) -> None:
    (match,) = matches(text)
    assert match.match == (text if expected is None else expected)
    assert match.signals is not None
    assert match.signals["registrable_domain"] == domain
    assert match.entity_type == "url"
    assert match.probability >= 0.6


@pytest.mark.parametrize(("text", "expected"), MANY)
def test_several_addresses(text: str, expected: list[str]) -> None:
    assert [match.match for match in matches(text)] == expected


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_only_looks_like_an_address(text: str) -> None:
    assert matches(text) == ()


def test_the_tables_are_large_enough_to_mean_something() -> None:
    assert len(FOUND) >= 120
    assert len(NOT_FOUND) >= 120


@pytest.mark.parametrize(
    ("text", "language"), [("finn.no er stengt", "no"), ("corriere.it oggi", "it"), ("allegro.pl nie działa", "pl")]
)
def test_a_countrys_ending_is_read_in_its_language(text: str, language: str) -> None:
    assert matches(text) == ()
    assert [match.match for match in matches(text, language)] == [text.split()[0]]
