"""The words by which answers are stated, corrected, denied and hedged, in the languages that models answer in.

Every table is data: a row more is a way more. Patterns are for folded text, without capturing groups, and every gap in
them is bounded, so that hostile text costs no more than linear time.
"""

from __future__ import annotations

import re

LABELS = {
    "en": r"(?:answers?|ans|assistant|output|response|choice|option|selection|solution|prediction|conclusion|verdict|decision"
    r"|action|step|next|order|sequence|ordering|result|total|count|number|selected|chosen|appl(?:y|ies)|following(?: (?:options?|statements?|answers?|ones?))?(?: (?:is|are))?(?: (?:apply|correct|true|right))?)(?: (?:choice|option|letter|key|text|order|number))?",
    "de": r"(?:antwort(?:en)?|lösung|ergebnis|reihenfolge|auswahl|aktion|anzahl)",
    "fr": r"(?:réponses?|solution|résultat|choix|ordre|conclusion)(?: (?:finale|correcte|exacte))?",
    "es": r"(?:respuestas?|solución|resultado|opción|orden|conclusión)(?: (?:final|correcta|correcto))?",
    "it": r"(?:rispost[ae]|soluzione|risultato|scelta|ordine|conclusione)(?: (?:finale|corretta|corretto|giusta))?",
    "pt": r"(?:respostas?|solução|resultado|opção|alternativa|ordem|conclusão)(?: (?:final|correta|certa|correto))?",
    "nl": r"(?:antwoord(?:en)?|oplossing|resultaat|volgorde|keuze)",
    "pl": r"(?:odpowiedź|odpowiedzi|rozwiązanie|wynik|kolejność|wybór)",
    "ru": r"(?:ответы?|решение|результат|порядок|вывод|итог)",
    "tr": r"(?:cevap|yanıt|sonuç|sıralama)",
    "zh": r"(?:答案|回答|答|选择|选项|顺序|结论|结果|順序|選擇)",
    "ja": r"(?:答え|回答|解答|正解|順序|順番|結論)",
    "ko": r"(?:정답|답변|답|순서|결론)",
    "ar": r"(?:الإجابة|الاجابة|الجواب|الترتيب|النتيجة)(?: (?:النهائية|الصحيحة|الصحيح|النهائي))?",
    "hi": r"(?:उत्तर|जवाब|क्रम|विकल्प)",
}
"""Words before a colon, or as a heading, that precede an answer."""

DECLARING = {
    "en": (
        r"(?:answer|letter|choice|option|selection|solution|action|actions|step|move|thing to do|decision|response|pick|order|sequence|ordering|number"
        r"|count|total|result|answers|choices|options)(?: (?!not |isn|if |wrong|incorrect|either|neither|cannot|never)[\w'-]{1,20}){0,8}?"
        r" (?:(?:is|are)|(?:would|should|will|must|has to|appears to|seems to)(?: (?:most )?(?:likely|probably|thus|therefore|then|clearly))? be|=)",
        r"(?:the )?one (?:that|which) (?:[\w'-]{1,20} ){1,6}?(?:is|would be|must be)(?! (?:shown|visible|seen|described|depicted|asked|going|not)\b)",
        r"(?:the )?(?:only |last )?(?:remaining|left-over) (?:one|option|choice|answer) (?:is|must be|would be)",
        r"(?:that|this|which)(?: only)? leaves(?: (?:us|me))?(?: only)?(?: with)?",
        r"(?:i|we)(?:'d| would|'ll| will| must| have to| am going to| can)? (?:choose|pick|select|say|go with|go for|opt for|vote for|answer|chose|picked"
        r"|selected|went with|believe|think|conclude|recommend|suggest|settle on|am choosing)"
        r"(?: that)?(?: (?:it|this|the (?:correct |right |best )?(?:answer|choice|option|action))(?:'s| is| would be| must be| should be))?",
    ),
    "de": (
        r"(?:antwort(?:en)?|lösung(?:en)?|option(?:en)?|wahl|aktion|handlung|schritt|reihenfolge|anzahl|ergebnis)(?: \w{1,20}){0,3}? (?:ist|lautet|lauten|wäre|sind)",
        r"(?:richtig|korrekt|zutreffend) (?:ist|wäre|sind)",
        r"am (?:besten|ehesten|wahrscheinlichsten) (?:passt|passen|ist|wäre|trifft)(?: (?:wohl|hier|also|die))*",
        r"ich (?:wähle|nehme|sage|würde sagen|entscheide mich (?:daher |also )?für|tippe auf|denke|glaube),?",
        r"(?:also|somit|daher|deshalb|folglich|damit) ist(?= (?:option |antwort )?[\"'(\[]?[a-z][\"')\]]? (?:richtig|korrekt|die (?:richtige|korrekte|beste)|am besten))",
        r"ich (?:würde|werde|möchte|will|muss)(?: (?:hier|daher|deshalb|also|mich|wohl|eher)){0,3}(?: (?:für|auf|zu))?(?: die)?"
        r"(?= (?:option |antwort |variante )?[\"'(\[]?[a-z][\"')\]]?(?::? [^.!?\n]{1,80})? (?:wählen|nehmen|auswählen|sagen|tippen|empfehlen|ankreuzen|entscheiden|plädieren))",
    ),
    "fr": (
        r"(?:réponses?|options?|choix|action|solution|étape|ordre|résultat)(?: \w{1,20}){0,4}? (?:est|serait|sont)",
        r"je (?:choisis|choisirais|dirais|opterais pour|opte pour|sélectionne|retiens|prends|pense que c'est|réponds)(?: donc)?",
        r"c'est(?: donc)?(?: (?:la réponse|l'option))?",
        r"il faut (?:donc )?(?:choisir|sélectionner|cocher|prendre|répondre)|on (?:choisit|retient|choisirait)",
        r"il s'agit (?:donc )?(?:de |d')(?:la réponse |l'option )?",
        r"(?:la )?réponse(?= [\"'(]?[a-z]\b)",
    ),
    "es": (
        r"hay que (?:elegir|escoger|seleccionar|marcar)",
        r"(?:respuestas?|elección|opción|opciones|acción|solución|paso|orden|alternativas?|resultado)(?: \w{1,20}){0,4}? (?:es|sería|son)",
        r"(?:elijo|elegiría|escojo|escogería|optaría por|diría|selecciono|seleccionaría|me quedo con|se trata de|creo que es)",
    ),
    "it": (
        r"(?:risposta|opzione|scelta|azione|soluzione|ordine)(?: \w{1,20}){0,4}? (?:è|sarebbe|sono)",
        r"(?:scelgo|direi|penso che sia)",
    ),
    "pt": (
        r"(?:resposta|opção|alternativa|ação|solução|ordem|escolha)(?: \w{1,20}){0,4}? (?:é|seria|são)",
        r"(?:escolho|diria|seleciono|acho que é)",
    ),
    "nl": (
        r"(?:antwoord|optie|keuze|actie|oplossing|stap|volgorde)(?: \w{1,20}){0,4}? (?:is|zou zijn|luidt|zijn)",
        r"ik (?:kies|zeg|neem|denk)",
    ),
    "pl": (
        r"(?:odpowiedź|odpowiedzią|opcja|wybór|kolejność|działanie)(?: \w{1,20}){0,4}? (?:to|jest|brzmi)",
        r"(?:wybieram|odpowiedź(?= [\"'(]?[a-z]\b))",
    ),
    "ru": (
        r"(?:ответ|вариант|выбор|решение|порядок|действие)(?: \w{1,20}){0,3}? ?(?:-|–|—|это|является)",
        r"(?:выбираю|я выбираю|я думаю,? это)",
        r"(?:правильный |верный )?(?:ответ|вариант)(?= [\"'(]?[a-zа-я]\b)",
    ),
    "tr": (r"(?:doğru )?(?:cevap|yanıt)(?= [\"'(]?[a-z]\b)",),
    "zh": (
        r"(?:答案|回答|选项|选择|行动|动作|步骤|做法|顺序|順序|結果|结果|答)(?:应该|应当|应)?(?:就)?(?:是|为|為|選|选|有|包括)",
        r"(?:我|应该|应|故|所以|因此|正确的?)?(?:选择|选|選擇|選)(?:项|項)?(?:是|为|為|有|包括)?",
    ),
    "ja": (
        r"(?:正解|正答|答え|回答|解答|順序|順番|行動)は、?",
        r"選択肢(?=[a-z])",
        r"(?:(?:私|わたし)(?:は|なら)、?)?(?=(?:選択肢)?[\"'(]?[a-z][\"')]?を(?:選び|選択し|選ぶ|選択する|選びたい))",
    ),
    "ko": (r"(?:정답|답|답변|순서|행동)(?:은|는) ?", r"(?:저는|나는) "),
    "ar": (
        r"(?:الإجابة|الاجابة|الجواب|الخيار|الترتيب)(?: (?:الصحيحة|الصحيح|الأفضل))?(?: (?:هي|هو))?",
        r"(?:أختار|اخترت)",
    ),
    "hi": (r"(?:सही )?(?:उत्तर|जवाब|विकल्प|क्रम)(?: है)?", r"मैं(?= )"),
}
"""Sentences that declare an answer, up to its place."""

_WHO = r"(?:i|we|you|one|(?:the |this |that |a )?(?:person|man|woman|human|user|camera wearer|wearer|robot|agent|driver|(?:ego[ -]?)?(?:car|vehicle)|cook|chef|player|operator|subject))"
_DO = r"(?:do|take|perform|execute|carry out|choose|pick|select|go with|go for|opt for|settle (?:on|for))"
_LIKELY = r"(?:(?:most )?(?:likely|probably)|now|next|then|therefore|thus|simply|definitely|certainly|clearly|rather|still|also|just)"
_THE_ACTION = r"(?: (?:the )?(?:action|option|choice|step|answer))?"
DOING = (
    rf"(?:i|we)(?:'d| would|'ll| will|'m| am|'re| are)?(?: {_LIKELY})? (?:(?:going|lean(?:ing)?) (?:with|for|towards?)|prefer|favou?r|vote|bet on|settle for|take|lean towards?|choose to {_DO}){_THE_ACTION}",
    rf"{_WHO}(?:(?:'ll| will| should| must| ought to| has to| have to| needs? to|(?:'s| is|'m| am|'re| are) (?:going|about|likely|supposed|expected) to)|(?<=\bi)(?:'d| would)|(?<=\bwe)(?:'d| would)|(?<!\bone)(?<!\byou) would)"
    rf"(?: {_LIKELY}){{0,2}}(?: (?:(?:choose|pick|opt|decide|want|like|prefer|have) to {_DO}|{_DO}){_THE_ACTION})?",
    r"my (?:vote|money|bet) (?:goes|is|would go|would be) (?:to|on|for|with)",
    r"(?:mine|my (?:favou?rite|preference|pick|vote|bet|choice)|(?:right|correct|best|sensible|logical|proper|obvious) (?:one|thing to do)|what (?:i|we)(?:'d| would) (?:do|choose|pick|take)(?: next)?|what (?:comes|happens|should (?:come|happen|be done)) next) ?(?:is|would be|:)",
    rf"let(?:'s| us) {_DO}{_THE_ACTION}",
)  # fmt: skip
"""Sentences that choose one of several actions as the one to do, up to its place. Only for options."""
DOES = rf"(?:{_DO}|perform){_THE_ACTION} "
"""The same as a command, at the beginning of a clause."""

_IS = r"(?:is|would be|should be|will be|must be|has to be|seems?(?: to be)?|looks?(?: like)?|sounds?(?: like)?|remains|'s)"
_CHOSEN_BY = r"(?:choose|pick|take|do|go with|go for|select|perform|opt for|vote for|say|recommend)"
CHOSEN = (
    rf"{_IS}(?: {_LIKELY})? (?:the one(?: (?:to {_CHOSEN_BY}|(?:that|which) (?:fits|applies|matches|makes (?:the most )?sense|is (?:right|correct|best)|comes next)(?: best)?|(?:that )?(?:i|we)(?:'d| would)? {_CHOSEN_BY}))?"
    r"|my (?:pick|choice|answer|vote|selection|favou?rite|preference)|the way to go|right|correct|best|better|next"
    r"|the (?:(?:most|only|very) )?(?:(?:next|right|correct|best|likely|logical|natural|sensible|obvious|appropriate) ){1,2}(?:step|action|move|thing(?: to do)?|choice|option|answer|one)"
    rf"|what (?:(?:i|we)(?:'d| would) {_CHOSEN_BY}|(?:comes|happens)|should (?:come|happen|be done)|(?:one|the person|you) should do)(?: next)?)",
    r"it is", r"gets my vote", r"has my vote", r"wins(?: my vote)?", r"(?:comes|goes|happens|follows) next", r"(?:should|must|has to|needs to|will|would|ought to) (?:be (?:done|taken|performed|chosen|next)|come|happen)(?: next)?",
    r"(?:i think|i'd say|i believe|i would say|for me)",
)  # fmt: skip
"""Words that call the preceding option the chosen one. They must end their clause: "D is the one to avoid" states the
opposite.
"""
CLAUSE_ENDS = (
    r"(?:[\s\"')\]*]*(?:[.!;:\n]|\Z|[—–(]|- )|,? (?:because|since|as(?! long| soon)|for(?= (?:the person|it|he|she|they|there|this|that) (?:is|are|has|was))|given|due to|based on|considering|so)\b"
    r"|,(?! ?(?:if|unless|but (?:only|if|not|maybe|perhaps|never)|or|though|although|except|only|when|provided|after|before|maybe|perhaps|possibly|however|yet|then|followed|second|if)\b))"
)
"""Text that may follow the end of the clause."""

SOFTLY = (
    r"(?:clearly|therefore|thus|hence|most likely|probably|likely|simply|definitely|obviously|indeed|now|surely|certainly|just|to|that|:|also"
    r"|most probably|wohl|wahrscheinlich|probablement|probablemente|sans doute|also|daher|donc|como|应该是|可能是|的是)"
)
"""Words that may be between a declaration and the answer without changing it."""

NEXT_WORDS = frozenset(
    "is are was because as since for due given so thus therefore hence based seems appears would will should must fits makes best which where "
    "the this that it they he she we it's that's in on with to while and or being also from after when per rather instead richtig korrekt wählen nehmen auswählen sagen empfehlen "
    "weil da denn ist und oder parce car est et ou porque ya que es y o e perché poiché è omdat want en ponieważ bo jest i "
    "потому так и или है क्योंकि olarak çünkü".split()
)
"""Words that may follow an option's letter: a verb, a reason. Before any other word, the letter is part of a name ("B
flat").
"""
ARTICLE_NEXT = frozenset(
    "is because since seems fits best rather instead richtig korrekt weil da ist est es è é jest parce car porque perché omdat ponieważ wählen nehmen auswählen sagen empfehlen".split()
)
"""The same for letters that are words themselves (A, I, E, O): "A is right" is the option, "A cup" is not."""
REASONS = frozenset(
    "because since as for due given so thus therefore hence based which where with in order considering after while weil da denn parce car "
    "puisque porque ya perché poiché pois omdat want ponieważ bo gdyż потому так поскольку क्योंकि çünkü".split()
)
"""Words that begin a reason, so that the text before them is complete."""

ENGLISH_TOO = {
    "car": r"(?:il|elle|on|le|la|les|l'|c'|ce|cela|je|j'|un|une|nous|vous|ils|elles|son|sa|ses|cette|cet|tout)",
    "da": r"(?:der|die|das|es|er|sie|wir|man|ich|ein|eine|kein|keine|dort|hier|alle|nur|noch|sich)",
    "want": r"(?:het|de|er|dit|dat|die|deze|hij|ze|zij|je|een|we|ik|alle)",
}
"""Words of other languages that are English words, too: read as theirs only before a word of that language, since "A car
is parked" chooses no A."""


def follows(known: frozenset[str], word: str, behind: str) -> bool:
    """Return whether a word is one of the known ones. A word that is also English needs context in its own language.

    >>> follows(REASONS, "car", " il est rouge"), follows(REASONS, "car", " is parked")
    (True, False)
    """
    if word not in known:
        return False
    own = ENGLISH_TOO.get(word)
    return own is None or re.match(rf"\s{{1,3}}{own}(?:(?<=')|(?![^\W\d_]))", behind, re.IGNORECASE) is not None


CORRECTIONS = (
    r"then again\b", r"wait\b(?! (?:for|until|on|to)\b)", r"hold on\b", r"actually[,:]", r"(?:but )?actually (?:it|the|i|no|my|that)\b", r"actually (?:option )?[(\[]?[a-j][)\]]?(?=[\s.!]*(?:\n|\Z))", r"no[,.;:!] ", r"no(?:pe)? wait\b", r"sorry\b", r"correction\b",
    r"hmm+\b", r"oops\b", r"on (?:second|further|closer) (?:thought|reflection|look|inspection|consideration)s?\b", r"let me (?:re|correct|fix|check|double|think|look|revise|start)",
    r"scratch that\b", r"strike that\b", r"i (?:meant|mean)\b", r"my (?:mistake|bad|error|apologies)\b", r"i (?:was wrong|made (?:a|an) (?:mistake|error)|misread|take (?:that|it|this)? ?back|stand corrected|retract|withdraw)",
    r"(?:changed?|changing) my mind\b", r"(?:or )?rather[,:]", r"or rather\b", r"make that\b", r"that(?:'s| is| was) (?:not right|wrong|incorrect|not correct|a mistake)\b",
    r"(?:upon|after) (?:reflection|closer|further|re-?\w{4,12}|review|second)\b", r"looking again\b", r"(?:edit|update|revised?|revision|amended|corrected|erratum)(?: answer)?[:,]", r"instead[,:]",
    r"(?:revised|corrected|updated|changed|new) (?:final )?(?:answer|choice)", r"i(?:'d| would| will|'ll)? (?:now )?(?:change|revise|correct|switch|reconsider|amend)\b", r"better[:,]", r"in fact[,:]? (?:it|the answer|no)\b",
    r"(?:alternatively|otherwise)\b", r"(?:it|that|this) (?:is|was) a trick",
    r"moment(?: mal)?\b", r"nein[,.;:!]", r"falsch[,.:]", r"korrektur\b", r"entschuldigung\b", r"ich meine?\b(?: \w{1,8})?,", r"doch nicht\b", r"halt[,.:]", r"quatsch\b",
    r"non[,.;:!]", r"attendez?\b", r"pardon\b", r"en fait[,:]?", r"je voulais dire", r"correction\b", r"plutôt[,:]?", r"finalement[,:]?",
    r"espera\b", r"perdón\b", r"corrección\b", r"quise decir", r"quiero decir", r"mejor dicho", r"en realidad[,:]?", r"aspetta\b", r"scusa\b", r"correzione\b", r"volevo dire", r"anzi[,:]?", r"in realtà[,:]?",
    r"espere\b", r"desculpe\b", r"correção\b", r"quis dizer", r"quero dizer", r"aliás[,:]?", r"na verdade[,:]?", r"não[,.;:!]", r"wacht\b", r"nee[,.;:!]", r"ik bedoel", r"correctie\b", r"eigenlijk[,:]",
    r"czekaj\b", r"poprawka\b", r"właściwie[,:]?", r"to znaczy", r"miałem na myśli", r"chwila\b", r"нет[,.;:!]", r"подождите\b", r"стоп\b", r"поправка\b", r"точнее\b", r"вернее\b", r"ошибся", r"на самом деле",
    r"等等", r"等一下", r"不对", r"不對", r"更正", r"我错了", r"抱歉", r"应该说", r"说错了", r"重新", r"其实", r"其實", r"いや[、,]", r"いえ[、,]", r"待って", r"訂正", r"間違え", r"すみません", r"아니[,.]", r"아니요[,.]", r"잠깐", r"정정", r"죄송",
    r"عفوا", r"تصحيح", r"بل ", r"لحظة", r"रुकिए", r"नहीं[,।]", r"सुधार", r"माफ़",
)  # fmt: skip
"""Beginnings of a correction, at the start of a clause only: "she actually holds it" corrects no statement."""


DENIED_AFTER = (
    r"(?:(?:is|are|was|were|seems?|appears?|would|can|could|may|might|will|should|does|do|has|have|had|must)(?: be| to be| been| also)? |is |,? )?(?:(?:definitely|clearly|certainly|surely|obviously|probably|simply|also) )?"
    r"(?:not\b|n't|wrong\b|incorrect\b|ruled out\b|false\b|excluded\b|eliminated\b|impossible\b|unlikely\b|out of the question|out\b|irrelevant\b|inappropriate\b|implausible\b|invalid\b|unsafe\b|no good|a distractor"
    r"|never\b|neither\b|cannot\b)",
    r"\(?(?:no|not)(?=[\s.)]*(?:\n|\Z))",
    r"(?:is|are|does|do|was|were|would|could|can|should|has|have)n't\b",
    r"can(?:not|'t)\b", r"won't\b",
    r"(?:ist|sind|wäre|passt|kann|stimmt|kommt|scheidet|fällt) (?:\w{1,12} )?(?:nicht|falsch|ausgeschlossen|aus|weg|keinesfalls)\b", r"(?:\w{1,12} )?(?:ausschließen|verwerfen|streichen|ablehnen)\b", r"(?:est |être |peut être )?(?:à )?(?:exclu|éliminé|écarté|rejeté)e?\b", r"(?:queda |está |puede ser )?(?:descartad|eliminad|excluid)[oa]\b", r"(?:n'est|ne |est (?:faux|fausse|incorrecte?|exclue?))", r"(?:no es|es (?:falsa|incorrecta|errónea)|no )\b", r"(?:non è|è (?:sbagliata|errata|falsa))",
    r"(?:não é|não|está errada|é (?:falsa|incorreta|errada))", r"(?:is (?:fout|onjuist|verkeerd|niet))", r"(?:nie |jest (?:błędna|zła|niepoprawna))", r"(?:-|–|—)? ?(?:неверн|неправильн|не )", r"(?:是|选项|項|项)?(?:不对|不是|不正确|错|錯|不行|不可能|不合|不选|被排除|不)",
    r"(?:は|が|を)?(?:違|間違|誤|正しくな|正しくあ|不正解|ではな|ではあり|でな|でありま|じゃな|じゃあり|除外|排除|選びません|選ばな|考えにく)", r"(?:번)?(?:은|는|이|가|을|를)? ?(?:정답이 |답이 )?(?:아니|아닙|아닌|틀|잘못|오답|제외|배제)", r"(?:خطأ|غير|ليس)", r"(?:गलत|नहीं)", r"yanlış|değil",
)  # fmt: skip
"""Words that deny the preceding option."""

_ELSE = r"(?:previous|prior|preceding|earlier|other|last|next|first|second|example|sample|reference|wrong|another)"
_ASKED = r"(?:questions?|images?|pictures?|photos?|scenes?|items?|tasks?|frames?|one|examples?|videos?|clips?|answers?|turn|case|problem)"

UNSAID = (
    rf"[(\[]\s?(?:(?:for|of|from|to|in|about|as in) )?(?:the |my |an? )?{_ELSE}(?: {_ASKED})?\s?[)\]]",
    rf"(?:for|of|from|to|about) (?:the |my |an? ){_ELSE} {_ASKED}\b",
    rf"in (?:the |my |an? ){_ELSE} (?:questions?|items?|tasks?|one|examples?|answers?|turn|case|problem)\b",
    r"nope\b",
    r"(?:so )?(?:they|he|she|people|others|some|many|(?:the|my|a) (?:user|student|colleague|friend|other|author)s?) (?:says?|said|thinks?|thought|claims?|claimed|believes?|told me|would say)\b",
    r"[(\[]\s?(?:this |that |it )?(?:(?:is|was) )?(?:wrong|incorrect|not (?:right|correct|true|sure|certain)|false|rejected|denied|unsure|uncertain|doubtful|a guess|guess(?:ed|ing)?|falsch|faux|incorrecto|sbagliato|错|錯)\b",
    r"(?:but |though |although |and )?i (?:really |strongly |very much )?(?:doubt (?:it|that|this)|am not (?:at all )?(?:sure|certain)|'m not (?:at all )?(?:sure|certain)|don't think so|do not think so)\b",
    r"(?:\.\.\.?|…)?\s?(?<=[.… ])not!?[\s.!]*\Z",
    r"(?:is|are|was|were|would be|seems?(?: to be)?|looks?) (?:clearly |probably |definitely |simply |just )?(?:not )?(?:the |a |an )(?:wrong|incorrect|false|worst|mistaken|distractor|trap|trick)\b",
    r"(?:is|are|was|were|would be|seems?) (?:clearly |probably |definitely |far |simply )?(?:too (?:many|few|much|little|high|low|large|small)|doubtful|questionable|mistaken)\b",
)  # fmt: skip
"""Words that take back the preceding statement of any kind."""

CONDITIONS = (
    r"(?:^|[\s(\"'])(?:for example|for instance|examples?|format|template|sample|e\.g\.?|previous (?:question|answer|item|turn))\W{0,3}[:,]\W*\Z",
    r"\bif\b(?! (?:we|you|one|i) (?:look|consider|follow|check|read|go)\b)", r"\bunless\b", r"\bsuppos(?:e|ing)\b", r"\bassum(?:e|ing)\b", r"\bhad (?:the|it|she|he|they|i|we)\b", r"\bwould have\b", r"\bwere (?:it|the|she|he|there)\b",
    r"\b(?:might|may|could) (?:think|say|answer|choose|seem|argue|assume|expect)\b", r"\b(?:someone|somebody|some|people|others|one|you|many) (?:people )?(?:might|may|could|would)\b", r"\btempt(?:ing|ed)\b", r"\bwhether\b", r"\bhypothetical", r"\bpretend\b",
    r"\bwenn\b", r"\bfalls\b", r"\bangenommen\b", r"\bsi\b", r"\bse\b", r"\bals\b", r"\bjeśli\b", r"\bjeżeli\b", r"\bgdyby\b", r"\bесли\b", r"如果", r"假如", r"要是", r"もし", r"만약", r"\bلو\b", r"\bإذا\b", r"अगर", r"यदि",
)  # fmt: skip
"""Words before a declaration in the same sentence that make it a condition or the words of another speaker."""

CLAIMED = (
    r"\b(?:texts?|signs?|caption|note|prompt|watermark|sticker|poster|instructions?|post-it) (?:\w+ ){0,5}?(?:says?|said|reads?|claims?|tells?|states?|instructs?|asks?|wants?|demands?)\b",
    r"\b(?:(?:gpt|claude|gemini|llama|qwen)[\w.-]*|they|he|she|someone|somebody|anyone|others|people|everyone|(?:my|another|an?|some|one|his|her|other|most|many|few|the) (?:[\w-]+ ){0,2}?(?:colleague|student|user|reader|teacher|critic|person|people|annotator|expert|friend|author|assistant|rater|guesser|key|rubric)s?)"
    r" (?:\w+ ){0,2}?(?:thinks?|thought|says?|said|claims?|claimed|believes?|believed|would|might|will|answers?|answered|chose|chooses?|picks?|picked|argues?|suggests?|suggested|insists?|states?|stated|told|wrote|writes?|votes?|guess(?:es|ed)?)\b",
)  # fmt: skip
"""Phrases that attribute the answer to another speaker."""

DOUBTS = (
    *CLAIMED,
    r"^\W*(?:is|was|could|would|might|can) (?:the |my |your )?(?:(?:correct|right|best) )?\Z", r"\breference\b", r"\bgold(?:en)?\b", r"\bground[- ]truth\b",
    r"\bat first\b", r"\binitial(?:ly)?\b", r"\bfirst guess\b", r"\bto (?:say|think|answer|claim)\b", r"\bprevious(?:ly)?\b", r"\bold\b", r"\bearlier\b", r"\bfalse\b", r"\bwrong\b", r"\bincorrect\b", r"\bnot\b", r"n't\b", r"\bnever\b", r"\bdoubt\b",
    r"\bexample\b", r"\be\.g\.", r"\bbefore i\b", r"\bsuch as\b", r"\blike\b", r"\bformat\b", r"\btemplate\b", r"\beither\b", r"\bneither\b", r"\bnor\b", r"\bmaybe\b", r"\bperhaps\b", r"\bpossibl[ey]\b", r"\bworst\b", r"\bleast\b", r"\bopposite\b", r"\bsecond(?:[- ]best)?\b",
    r"\balternative(?:ly)?\b", r"\bonly\b(?! (?:correct|right|remaining|possible|valid|plausible|sensible|viable|suitable|option|answer|choice|one)\b|\s*\Z)",
    r"(?<!after )(?<!by )\b(?:rul(?:e|es|ed|ing)|cross(?:ed|ing)?|leave|leaving) (?:out|off)\b", r"\b(?:each|every|these|those|all)(?: of)?(?: the)?(?: answer)?\s*\Z", r"\blet(?: me| us|'s)\s*\Z", r"(?<!after )(?<!by )\b(?:eliminat|exclud|discard|reject|dismiss|avoid|disregard|écart|élimin|exclu[rt]|descart|elimin[aoe]|verwerf|ausschließ)\w{0,6}\b", r"排除", r"除外", r"제외", r"배제", r"\bwhy\b", r"\bsample\b", r"\bno\b", r"\bwithout\b", r"\binstead of\b", r"\bbad\b", r"\bpoor\b", r"\bunsafe\b", r"\bguess\b", r"\b(?:would|could|might|may) (?:also )?be\b", r"\bone\b", r"\bother\b", r"\bhis\b", r"\bher\b", r"\btheir\b", r"\bstudent'?s?\b",
    r"\bnicht\b", r"\bfalsche?\b", r"\bvielleicht\b", r"\bkeine?\b", r"\bpas\b", r"\bfausse\b", r"\bpeut-être\b", r"\bmauvaise\b", r"\btal vez\b", r"\bquizás?\b", r"\bincorrecta\b", r"\bforse\b", r"\bnon\b", r"\bsbagliata\b", r"\btalvez\b", r"\bnão\b", r"\berrada\b",
    r"\bniet\b", r"\bmisschien\b", r"\bfoute\b", r"\bmoże\b", r"\bnie\b", r"\bbłędna\b", r"\bвозможно\b", r"\bне\b", r"неправильн", r"неверн", r"可能", r"也许", r"不", r"错误", r"かもしれ", r"아마", r"ربما", r"ليس", r"शायद", r"गलत", r"नहीं",
)  # fmt: skip
"""The same in the words right before it: a denial, a doubt, an earlier or another's answer."""

HEDGED_AFTER = (
    r" ?(?:-+>|=+>|→|⇒)",
    r"(?:,? ?(?:and/or|or|oder|ou|o|of|lub|или|もしくは|または|还是|或者?|या|أو|또는)\b)", r",? ?(?:or|oder|ou|或|或者)",
    r",? ?(?:if|unless|provided|assuming|depending|when|only if|wenn|falls|sofern|es sei denn|si|sauf si|a menos|se|a meno|als|tenzij|jeśli|jeżeli|если|如果|除非|もし)\b",
    r",? ?but (?:it|i|maybe|perhaps|possibly|could|also|might|not|no(?=[\s.!]*(?:\n|\Z|[.!])))\b", r"\?", r" ?/ ?", r",? ?(?:maybe|perhaps|possibly|vielleicht|peut-être|quizás?|tal vez|forse|talvez|misschien|może|возможно|也许|可能)\b",
    r",? ?(?:not|nicht|pas|non|no|não|niet|nie|не)\b", r",? ?(?:depends|it depends)\b", r",? ?(?:and also|as well as|along with|plus|versus|vs)\b", r" ?%",
)  # fmt: skip
"""Words directly after a statement that make it an alternative, a condition or a doubt."""

ALSO = (
    r"\b(?:could|can|may|might|would|is|are|seems?)(?: be)? also\b", r"\balso (?:be )?(?:correct|right|possible|plausible|valid|acceptable|fine|true|works?|fits?)\b", r"\bequally\b", r"\bor (?:maybe|perhaps|possibly)\b",
    r"\beither (?:one|way|is|could|would|option|answer)\b", r"\bas well be\b", r"\bhard to (?:say|tell|choose|decide)\b", r"\bit depends\b", r"\bcould go either way\b", r"\bnot (?:entirely |completely |fully )?(?:sure|certain) (?:between|whether|which)\b", r"\btoss-?up\b", r"\bjust a guess\b|\bjust guessing\b|\brandom(?:ly)?\b",
    r"\bbut (?:it |this |that )?(?:could|might|may)(?: well)? be\b", r"\b(?:possibly|perhaps|maybe) [\"'(]?[b-j]\b",
)  # fmt: skip
"""Words after a statement that allow another right answer."""

BOTH = r"\b(?:both|two) (?:are|answers|options)\b"
"""The same after a single option. Several options may well both be right."""

RUNAWAY = (
    r"(?:next |new )?(?:question|task|problem|exercise)(?: ?(?:no\.?|#|number)? ?\d{1,4})?\s{0,3}[:.]", r"q ?\d{0,4}[:.)]", r"(?:user|human|student|teacher|instruction|input|prompt|assistant|system)\s?:", r"(?:user|human|student)\n", r"#{2,4} ?(?:instruction|input|question|user|human|task)s?\b",
    r"(?:frage|pregunta|domanda|pergunta|vraag|pytanie|вопрос|пользователь|问题|问|質問|질문|用户|السؤال|سؤال|प्रश्न)\s{0,2}\d{0,3}\s{0,2}[:.]", r"here(?:'s| is) (?:another|the next) question", r"(?:next|another) question\b", r"---+\s*\n+\s*(?:question|q)\b",
)  # fmt: skip
"""The beginnings of an invented next turn, at the start of a line."""

YES = {
    "en": "yes", "de": "ja", "fr": "oui", "es": "sí", "it": "sì", "pt": "sim", "nl": "ja", "pl": "tak", "ru": "да", "tr": "evet", "sv": "ja", "cs": "ano",
    "zh": "是|是的|对|對|对的", "ja": "はい", "ko": "네|예", "ar": "نعم", "hi": "हाँ|हां|जी हाँ|जी हां", "en, other": "yep|yeah|yup",
}  # fmt: skip
NO = {
    "en": "no", "de": "nein", "fr": "non", "es": "no", "it": "no", "pt": "não", "nl": "nee", "pl": "nie", "ru": "нет", "tr": "hayır", "sv": "nej",
    "zh": "不|不是|否|不是的|没有|不对", "ja": "いいえ", "ko": "아니요|아니오|아뇨", "ar": "لا|كلا", "hi": "नहीं|जी नहीं", "en, other": "nope|nah",
}  # fmt: skip
"""The words for yes and no. Their meaning depends on the following text: "No, …" is no, "No image …" is not."""

ALL = (
    "all of the above",
    "all of them",
    "all of these",
    "all of the options",
    "all options",
    "all the options",
    "all the above",
    "all four",
    "all",
    "everything",
    "alle",
    "tous",
    "toutes",
    "todas",
    "todos",
    "tutte",
    "tutti",
    "wszystkie",
    "все",
    "全部",
    "全选",
    "以上全部",
    "以上都是",
    "すべて",
    "全て",
    "모두",
)
NONE = (
    "none of the above",
    "none of them",
    "none of these",
    "none of the options",
    "none",
    "nothing",
    "no option",
    "no options",
    "keine",
    "keine davon",
    "keiner",
    "aucun",
    "aucune",
    "ninguno",
    "ninguna",
    "nessuno",
    "nessuna",
    "nenhum",
    "nenhuma",
    "geen",
    "geen van allen",
    "żadne",
    "żadna",
    "ничего",
    "ни один",
    "没有",
    "以上都不是",
    "都不是",
    "なし",
    "없음",
)

_RIGHT_ONE = r"(?:correct|right|true|valid|accurate|applicable|appropriate|suitable|shown|supported|a match|the (?:right |correct )?answer)"
_THEM = r"(?:the|these|those|them|the (?:given|above|listed|provided|\w{3,5}))?(?: (?:given|above|listed|provided|four|three|five|answer))?(?: ?(?:options?|choices?|answers?|statements?|alternatives?|above))?(?: (?:given|above|listed))?"
NONE_RIGHT = re.compile(
    rf"(?:none(?: of {_THEM})?|not (?:one|any) of {_THEM}|no (?:correct |right )?(?:option|choice|answer|statement|alternative|one)s?)(?: (?:listed|given|above|here))?"
    rf" (?:(?:is|are|seems?|looks) (?:\w+ly )?{_RIGHT_ONE}|(?:appl(?:y|ies)|fits?|match(?:es)?|holds?|works?))(?: here)?"
    rf"|none of {_THEM}|there (?:are|is) (?:none|no (?:correct|right|true|valid) (?:options?|answers?|choices?|ones?|statements?))|no (?:correct|right) (?:options?|answers?|choices?)"
    r"|keine?r? (?:der|von den|dieser) (?:\w{3,12} )?(?:optionen|antworten|möglichkeiten|aussagen|genannten)(?: (?:ist|sind) (?:richtig|korrekt|zutreffend)| (?:trifft|treffen) zu| (?:stimmt|passt))?"
    r"|keine? (?:option|antwort|aussage)(?: (?:ist) (?:richtig|korrekt)| trifft zu| stimmt| passt)|keine? (?:davon|von ihnen)(?: ist (?:richtig|korrekt))?|es gibt keine(?: richtige (?:option|antwort))?"
    r"|aucune?(?: (?:des|de ces|de ses|d'entre) (?:options|réponses|choix|propositions|elles|eux))?(?: (?:n'est|ne sont) (?:correcte?|juste|bonne|vraie?|valide)| ne (?:convient|s'applique))?|aucune (?:option|réponse|proposition) n'est (?:correcte|juste|bonne|vraie)|il n'y en a (?:aucune?|pas)"
    r"|ningun[ao](?: de (?:las|los|estas|estos) (?:\w{3,12} )?(?:opciones|respuestas|alternativas|anteriores))?(?: es (?:correct[ao]|verdader[ao]|válid[ao])| se aplica)?|ninguna (?:opción|respuesta) es (?:correcta|verdadera)|no hay ninguna(?: correcta)?"
    r"|nessun[ao](?: del(?:le|l')\s?(?:opzioni|risposte|precedenti))?(?: è (?:corretta|giusta|vera))?|nessuna (?:opzione|risposta) è (?:corretta|giusta)"
    r"|nenhum[ao]?(?: das (?:opções|respostas|alternativas|anteriores))?(?: (?:é|está) (?:correta|certa|verdadeira))?|nenhuma (?:opção|resposta) (?:é|está) (?:correta|certa)"
    r"|geen(?: van (?:de|deze) (?:opties|antwoorden|bovenstaande))?(?: is (?:juist|correct|goed))?|geen enkele (?:optie|antwoord) is (?:juist|correct)"
    r"|żadna(?: z (?:tych |podanych )?(?:opcji|odpowiedzi))?(?: nie jest (?:poprawna|prawidłowa))?|ни один(?: из (?:этих |предложенных )?вариантов)?(?: не (?:верен|подходит|правильный))?|ни одного|нет правильных(?: вариантов| ответов)?"
    r"|(?:以上|上述|这些|這些|四个|选项|選項)*(?:选项|選項|答案)?(?:全都|都|全部|均)(?:不对|不對|不正确|不正確|不是|错误|錯誤|错|錯|错了|不符合|不适用)(?:的)?|(?:没有|沒有)(?:一个|一個|任何)?(?:选项|選項|答案)?(?:是)?(?:正确|正確|对|對)的?(?:选项|選項|答案)?|无正确(?:选项|答案)|(?:没有|沒有)(?:一个|任何)(?:选项)?(?:符合|适用)"
    r"|(?:以上の|上記の)?(?:どれも|いずれも|全て|すべて)(?:正しくない|正しくありません|当てはまらない|当てはまりません|間違い|間違っている|違います|違う|該当しない|該当しません|不正解)(?:です)?|(?:正しいもの|正解|該当するもの)は?(?:ない|ありません|なし)(?:です)?|該当なし"
    r"|(?:위의?|보기) ?(?:모두|전부) ?(?:아니다|아닙니다|틀렸습니다|틀렸다|오답(?:입니다)?)|(?:모두|전부) ?(?:아니다|아닙니다|틀렸습니다)|(?:맞는 (?:것|답)|정답)[이은]? ?없(?:다|습니다|음)|해당 ?없음"
    r"|इनमें से कोई (?:भी )?(?:नहीं|सही नहीं है|विकल्प सही नहीं है)|कोई (?:भी )?(?:विकल्प )?(?:सही )?नहीं(?: है)?|لا (?:شيء|يوجد) (?:مما سبق|خيار صحيح|منها)|لا شيء منها"
)
"""Sentences that say that no option is right."""
ALL_RIGHT = re.compile(
    rf"(?:all(?: of)?(?: {_THEM})?|every (?:option|choice|answer|statement|one))(?: (?:listed|given|above|here))? (?:(?:is|are|seem|look) (?:\w+ly )?{_RIGHT_ONE}|(?:appl(?:y|ies)|fits?|match(?:es)?|holds?|works?))(?: here)?|all of {_THEM}"
    r"|alle (?:der |dieser )?(?:optionen|antworten|aussagen)?(?: ?(?:sind|ist) (?:richtig|korrekt|zutreffend)| ?treffen zu| ?stimmen| ?passen)|jede (?:option|antwort) ist (?:richtig|korrekt)"
    r"|toutes les (?:options|réponses|propositions)(?: sont (?:correctes|justes|bonnes|vraies))?|toutes sont (?:correctes|justes)|todas las (?:opciones|respuestas)(?: son (?:correctas|verdaderas))?|todas son correctas"
    r"|tutte le (?:opzioni|risposte)(?: sono (?:corrette|giuste))?|todas as (?:opções|respostas|alternativas)(?: (?:são|estão) (?:corretas|certas))?|alle opties(?: zijn (?:juist|correct))?|wszystkie (?:opcje|odpowiedzi)(?: są (?:poprawne|prawidłowe))?|все (?:варианты|ответы)(?: (?:верны|правильные|подходят))?"
    r"|(?:以上|上述|这些|這些|四个|选项|選項)*(?:选项|選項|答案)?(?:全都|都|全部|均)(?:对|對|正确|正確|是对的|是正确的|符合|适用)(?:的)?|(?:以上の|上記の)?(?:どれも|いずれも|全て|すべて)(?:正しい|当てはまる|当てはまります|正解)(?:です)?"
    r"|(?:위의?|보기) ?(?:모두|전부) ?(?:맞다|맞습니다|정답(?:입니다)?)|(?:모두|전부) ?(?:맞다|맞습니다|정답입니다)|सभी (?:विकल्प )?सही (?:हैं|है)"
)
"""Sentences that say that every option is right."""
