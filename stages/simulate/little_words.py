"""Words that carry no subject of their own, per language: what key phrases are cut at."""

_TEXTS = {
    "ENGLISH": """
a about above across after again all almost already also although always am among an and another any anybody are
around as ask asked at away back be because become been before being best better between big billion both bring
brings brought but by call came can cannot care come comes could days decide did do does done down during each
eight either eleven else end enough ever every everybody everything expect far few fewer find first five for
found four from full gave get gets give given go goes going gone good great had half hard has have having he
head hear heard help her here him his hold home how however i if in into is it its just keep keeps kept know
known knows lakh large larger largest last least leave leaves left less let like likely little long longer look
looks lot made make makes many may maybe me mean means might million month months more most much must my near
need needs neither never new next nine no nobody none nor not nothing now of off often old on once one only open
operate or other others otherwise our out over own owns past pay pays per perhaps place plan please point points
possible present probably put quickly quite rather reach real really reason right run runs said same say says
second see seem seems seen send sent seven several she should show simply since six so some somebody something
soon start state stay still such sure take taken takes tell ten than that the their them themselves then there
therefore these they thing things think third this those though thousand three through time times to today
together told too took toward towards turn twelve twice two under until up upon us use used very want wants was
way ways we week weeks well went were what when where whether which while who whole whom whose why will with
within without work works worst would year years yes yet you your
""",
    "GERMAN": """
aber alle allem allen aller alles als also am an auch auf aus bei beide beiden bereits bis bisher da dabei dafür
damit dann darf das dass dauert davon dazu dem den denn der deren des dessen die dies diese diesem diesen dieser
dieses doch dort durch ein eine einem einen einer eines einspringen entscheidet er erwartet es etwa euch für
gegen gegenüber haben hat hatte heute hier ich ihm ihn ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem
jeden jeder jedes jetzt kann kein keine keinen kostet können könnte liegt machen man mehr mein mit muss müssen
müsste nach neben nicht nichts noch nun nur nächsten ob oder ohne reicht rund sehr sein seine sich sie sind
sinken so sobald soll sollen sonst soweit sowie stammt stehen um und uns unser unsere unserem unseren unserer
unter versorgt viel vom von vor wann war was weil wenn wer werden werdet wie wieder will wir wird wo wofür wohl
wollen wurde würde zu zum zur zwar zwei zwischen über
""",
    "JAPANESE": """
万円 億円 予定 今年 以上 以下 可能 場合 年後 年間 必要 想定 昨年 次 現在 私 私達
""",
    "ARABIC": """
أبكر أكثر ألا أن أو أي إلا إلى إن الآن التي الذي الذين العام بعد بها بين تلك ثم جاهزا حتى حين خلال ذلك عام على
عن عند غير في فيها قبل قد كان كانت كذلك كل كما لأن لا لدينا لم لن لنا ما مثل مثلنا مع من منها نحن نحو نفسه هذا
هذه هو هي يكون
""",
}

ENGLISH = frozenset(_TEXTS["ENGLISH"].split())
GERMAN = frozenset(_TEXTS["GERMAN"].split())
JAPANESE = frozenset(_TEXTS["JAPANESE"].split())
ARABIC = frozenset(_TEXTS["ARABIC"].split())
