// Text in many scripts: small tokenizers are trained on it, and strings are cut
// out of it.
export const corpus = `The quick brown fox jumps over the lazy dog. It's what they've always
done, and I'll say we're glad they'd come; he's sure I'm right. Don't you think so?
In 1969, 20,000,000 people watched; 3.14159 is not 22/7, and 2^31 is 2147483648.

def encode(text: str, add_special: bool = True) -> list[int]:
    """Return the ids of text."""
	ids = [bos] if add_special else []
    for piece in split(text):
        ids += merge(piece)     # O(n log n)
    return ids

<p class="note">HTML &amp; entities&nbsp;too</p> {"json": [1, 2.5, null, true]}
Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Füße, Straße, Öl.
Le cœur déçu mais l'âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles.
El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío, añoraba a su querido cachorro.
Съешь же ещё этих мягких французских булок, да выпей чаю. Привет, мир! Как дела?
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Καλημέρα κόσμε.
敏捷的棕色狐狸跳过了懒狗。今天天气很好，我们去公园散步吧。一二三四五六七八九十。
いろはにほへと ちりぬるを。東京タワーへ行きました。カタカナとひらがな、そして漢字。
다람쥐 헌 쳇바퀴에 타고파. 안녕하세요 세계. 오늘 날씨가 좋네요.
نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر. مرحبا بالعالم ١٢٣٤٥٦.
דג סקרן שט בים מאוכזב ולפתע מצא לו חברה. שלום עולם.
ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले। नमस्ते दुनिया १२३।
เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน ๑๒๓
Vietnamese: Tiếng Việt có nhiều dấu thanh; Việt Nam. Cafe\u0301 and re\u0301sume\u0301, A\u030angstro\u0308m.
😀 😃 😄 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️ ☕ ✈️ 🤷🏻‍♂️ 1️⃣
the the the the and and and of of of to to in in is is that that it it was for on are with as his they
`;
