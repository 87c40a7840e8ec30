"""The phrases with which texts refuse to answer or state that they cannot, in the languages of models' answers."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """A phrase with which a text refuses to answer, or states that it cannot."""

    name: str
    meaning: str
    pattern: str
    """A regular expression for folded text in lower case, without capturing groups."""
    unsure: bool = False
    """Whether the phrase only states that the answer is unknown. It is no refusal if an option or a key may state the
    same.
    """


_CANNOT = (
    r"(?:can ?not|can'?t|could ?not|couldn'?t|(?:am|are|is|was|'m|'re|be) (?:currently |also )?(?:unable|not able) to|unable to"
    r"|don'?t have the (?:ability|capability|capacity) to|do not have the (?:ability|capability|capacity) to|won'?t|will not)"
)
_PICTURE = (
    r"(?:image|picture|photo|photograph|video|clip|frame|screenshot|attachment|footage|visual|visual input"
    r"|visual content|media|file|scene|figure)s?"
)
_OWN = r"(?:an? |any |the |this |that |these |those |your |its |actual |attached |provided |uploaded |given |such |visual |or |of |into |at |"
_DE, _FR, _ES = (
    r"(?:bild|foto|video|aufnahme|datei|abbildung)\w{0,3}",
    r"(?:image|photo|vidéo|figure|fichier)s?",
    r"(?:im[aá]gen(?:es)?|fotos?|v[ií]deos?|fotograf[ií]as?)",
)

REFUSALS = (
    Refusal("cannot see", "“I cannot see the image”",
            rf"\b{_CANNOT} (?:actually |directly |really |clearly )?(?:see|view|open|access|process|analy[sz]e|interpret|look at"
            rf"|watch|examine|read|load|display|inspect|perceive|find) {_OWN}[a-z]{{3,12}} ?(?:and |of the )?){{0,4}}{_PICTURE}\b"),
    Refusal("no picture", "“No image was provided”",
            rf"\bno (?:such |input |attached |actual |visible )?{_PICTURE} (?:(?:and|or) {_PICTURE} )?"
            rf"(?:(?:was|were|is|are|has|have|had|seems?|appears?)\b|(?:provided|attached|visible|given|included|shared|uploaded"
            rf"|available|shown|loaded|received|here|found|present)\b|to (?:look|see|view))"
            rf"|\b(?:don'?t|do not|didn'?t|did not|haven'?t|have not) (?:actually |currently |yet )?(?:see|have|receive|received"
            rf"|find|get|been given|been shown|detect) (?:an |any |the |a |access to |sight of |your |that |this |attached )"
            rf"{{1,3}}{_PICTURE}\b"
            rf"|\b{_PICTURE} (?:(?:was|were|is|are|has|have|did|does|seems?|appears?|could|can)(?: to)?(?: be)? )"
            rf"(?:not|n't|missing|blank|unavailable|inaccessible|corrupt|corrupted|broken|empty)\b(?: (?:been )?(?:provided"
            rf"|attached|visible|given|included|shared|uploaded|available|shown|loaded?|received|here|open|opened|displayed?"
            rf"|come through|accessible|present))?"
            rf"|\b{_PICTURE} (?:didn'?t|doesn'?t|wasn'?t|weren'?t|isn'?t|aren'?t|hasn'?t|couldn'?t|can'?t)(?: be| been)? (?:load"
            rf"|loaded|open|opened|display|attach|attached|provided|visible|given|included|shared|uploaded|available|shown"
            rf"|come|received|here)\b"
            rf"|\bthere (?:is|are|was|were|'s|seems to be|appears to be) no {_PICTURE}\b(?: (?:provided|attached|visible|given"
            rf"|to|in (?:your|this|the) (?:message|prompt|request|conversation)|here|available|uploaded|shared)\b|[.,;!]|\Z)"
            rf"|\b(?:please|kindly|could you|can you|would you) (?:please )?(?:provide|upload|share|attach|send|resend"
            rf"|re-upload|describe) (?:me |us )?(?:the |an |a |your |that |it\b ?)(?:[a-z]{{3,10}} )?{_PICTURE}\b"),
    Refusal("cannot help", "“I can't help with that”",
            rf"\b(?:i|we) ?{_CANNOT} (?:really |currently |in good conscience |possibly |directly |therefore )?(?:help|assist|comply"
            rf"|answer|respond|provide|fulfil|fulfill|complete|do (?:that|this|so)|continue|engage|support|offer|give (?:you )?"
            rf"(?:an? |the )?(?:\w{{3,12}} )?(?:answer|response)|discuss|put (?:them|these|the \w{{2,12}})|choose|select|pick|count"
            rf"|order|rank|identify|recogni[sz]e|name|describe|say|tell|determine|judge|know|verify|confirm|make"
            rf"|be (?:sure|certain)|see (?:anything|it|that|this|what)|fairly|reliably)\b"
            rf"|\bunable to (?:help|assist|comply|answer|respond|provide|determine|process|complete|fulfil|fulfill|tell|say)\b"),
    Refusal("sorry", "“I'm sorry, but …” or “I apologize, but …”, followed by a refusal",
            rf"\b(?:sorry|apologi[sz]e|apologies|unfortunately|regret|afraid)\b[^.!?\n]{{0,60}}\b(?:{_CANNOT}|not (?:able|allowed"
            rf"|permitted|possible|comfortable)|no (?:image|answer|{_PICTURE})|decline|against)\b"),
    Refusal("machine", "“As an AI language model, I cannot …”",
            rf"\bas an? (?:ai|artificial|language|text|large)\b[^.!?\n]{{0,80}}\b(?:{_CANNOT}|don'?t|do not|not|no)\b"
            rf"|\bi(?:'m| am) (?:only |just )?an? (?:ai|text|language|text-based)\b[^.!?\n]{{0,80}}\b(?:{_CANNOT}|don'?t|do not|not|no)\b"),
    Refusal("decline", "“I must decline”, “I'd rather not answer”",
            r"\bi (?:must|have to|will|would|shall|need to|am going to|respectfully|'ll|'d)? ?(?:respectfully |politely |rather |have to )?"
            r"(?:decline|refuse|abstain|refrain|pass on)\b|\bi(?:'d| would) (?:rather|prefer) not\b|\bi prefer not to\b"
            r"|\b(?:against|violates?) (?:my|our|the) (?:guidelines|policy|policies|principles|rules)\b"
            r"|\b(?:request|question) (?:was |is |has been )?(?:declined|refused|blocked|rejected)\b|\bi (?:do not|don'?t|won'?t) answer\b"),
    Refusal("not known", "“I don't know”, “it cannot be determined from the picture”",
            r"\bi(?: really| honestly| simply)? (?:do not|don'?t|wouldn'?t|would not) know\b|\bi have no (?:idea|clue|way)\b|\bno idea\b"
            r"|\bi (?:cannot|can'?t|could not|couldn'?t) (?:see|tell|say|judge|know)\b"
            r"|\b(?:cannot|can ?not|can'?t|could not|couldn'?t|impossible to|not possible to|no way to|not able to)"
            r"(?: reliably| really| possibly)?(?: be)?(?: reliably| really)? (?:determined?|told|tell|answer(?:ed)?|say|said"
            r"|identif(?:y|ied)|ascertain(?:ed)?|infer(?:red)?|judged?|known?|decided?(?! between)|establish(?:ed)?|counted)\b"
            r"|\b(?:not enough|insufficient|too little|lack of) (?:visual )?(?:information|evidence|context|detail|data)\b"
            r"|\A\W{0,5}(?:unanswerable|undeterminable|indeterminable|cannot answer|can'?t answer)\W{0,5}\Z", unsure=True),
    Refusal("German", "refusals in German",
            rf"\bich (?:kann|darf|möchte|werde)\b[^.!?\n]{{0,80}}\b(?:nicht|kein\w{{0,2}})\b|\b(?:kann|konnte) ich\b[^.!?\n]{{0,80}}\b(?:nicht"
            rf"|kein\w{{0,2}})\b|\b(?:es )?tut mir leid\b|\bkein {_DE} (?:zu sehen|vorhanden|angehängt|beigefügt|sichtbar|erhalten|da|"
            rf"übermittelt|hochgeladen|gefunden|bereitgestellt)|\bich (?:sehe|habe|erhielt) (?:hier |leider )?kein {_DE}"
            rf"|\b(?:das|dieses|ein) {_DE} (?:fehlt|ist nicht|wurde nicht|lässt sich nicht)\b|\bes wurde kein {_DE}"),
    Refusal("German, not known", "“ich weiß es nicht”", r"\b(?:ich )?weiß (?:ich )?(?:es |das )?nicht\b|\bkeine ahnung\b"
            r"|\blässt sich[^.!?\n]{0,60} nicht (?:sagen|erkennen|beantworten|bestimmen|feststellen)\b|\bnicht (?:zu )?erkennbar\b",
            unsure=True),
    Refusal("French", "refusals in French",
            rf"\bje (?:suis |)?(?:vraiment )?désolée?\b|\bdésolée?, (?:mais |je )|\bje (?:ne |n')(?:peux|puis|pourrai|suis|vois|reçois|dispose|ai)\b"
            rf"[^.!?\n]{{0,30}}\b(?:pas|aucune?)\b[^.!?\n]{{0,30}}(?:{_FR}|répondre|aider|mesure|voir|dire|déterminer|identifier|accès|capable)"
            rf"|\baucune {_FR} (?:n'|ne |fournie|jointe|visible|disponible)|\bl'image n'"
            rf"|\bil m'est impossible\b|\bje (?:refuse|préfère ne pas)\b"),
    Refusal("French, not known", "“je ne sais pas”", r"\bje (?:ne |n'en )sais (?:rien|pas)\b|\bimpossible (?:à|de) (?:dire|déterminer|répondre)\b",
            unsure=True),
    Refusal("Spanish", "refusals in Spanish",
            rf"\blo siento\b|\b(?:disculpa|disculpe|perdón|lamentablemente|lamento)\b[^.!?\n]{{0,60}}\bno\b|\bno (?:puedo|podemos|es posible|me es posible|soy capaz de|logro|tengo acceso)\b"
            rf"[^.!?\n]{{0,40}}(?:ver|visualizar|responder|contestar|ayudar\w{{0,4}}|acceder|analizar|determinar|decir|identificar|procesar|abrir|{_ES})"
            rf"|\bno (?:se )?(?:veo|hay|ha|han|aparece|recibí|he recibido)\b[^.!?\n]{{0,40}}{_ES}\b|\bninguna {_ES}"
            rf"|\bprefiero no responder\b"),
    Refusal("Spanish, not known", "“no lo sé”", r"\bno (?:lo )?sé\b|\bno se puede (?:saber|determinar|decir|responder)\b", unsure=True),
    Refusal("Italian", "refusals in Italian",
            r"\bmi dispiace\b|\b(?:purtroppo|spiacente)\b|\bnon (?:posso|riesco|sono in grado|mi è possibile|vedo|è stata|c'è|ho accesso|ho ricevuto)\b[^.!?\n]{0,50}"
            r"(?:vedere|visualizzare|rispondere|aiutar\w{1,3}|dire|determinare|accedere|analizzare|aprire|fornir\w{1,3}|(?:immagin|foto|video|figur)\w{0,2})"
            r"|\bnessun'?a? ?(?:immagine|foto|video)"),
    Refusal("Italian, not known", "“non lo so”", r"\bnon (?:lo )?so\b|\bnon si può (?:dire|sapere|determinare)\b", unsure=True),
    Refusal("Portuguese", "refusals in Portuguese",
            r"\b(?:sinto muito|lamento|infelizmente)\b|\b(?:desculpe|desculpa)\b[^.!?\n]{0,60}\bnão\b|\bnão (?:posso|consigo|sou capaz|é possível|vejo|há|foi|tenho acesso|recebi)\b[^.!?\n]{0,50}"
            r"(?:ver|visualizar|responder|ajudar|dizer|determinar|acessar|aceder|analisar|abrir|fornecer|(?:imagem|imagens|foto|fotos|vídeo)\b)"
            r"|\bnenhuma (?:imagem|foto)"),
    Refusal("Portuguese, not known", "“não sei”", r"\bnão (?:o )?sei\b|\bnão (?:dá para|é possível) (?:saber|dizer|determinar)\b", unsure=True),
    Refusal("Dutch", "refusals in Dutch",
            r"\bik kan\b[^.!?\n]{0,80}\b(?:niet|geen)\b|\bkan ik\b[^.!?\n]{0,80}\b(?:niet|geen)\b|\bhet spijt me\b|\bsorry, (?:maar )?ik\b[^.!?\n]{0,60}\b(?:niet|geen)\b"
            r"|\bgeen (?:afbeelding|foto|beeld|plaatje|video)\b|\b(?:afbeelding|foto|video) ontbreekt\b"),
    Refusal("Dutch, not known", "“ik weet het niet”", r"\bik weet (?:het |dat )?niet\b|\bgeen idee\b", unsure=True),
    Refusal("Polish", "refusals in Polish",
            r"\bprzepraszam\b|\b(?:przykro mi|niestety)\b|\bnie (?:mogę|potrafię|jestem w stanie|widzę|otrzymałem|otrzymałam|mam dostępu|ma|załączono|dołączono)\b[^.!?\n]{0,50}"
            r"(?:zobaczyć|odpowiedzieć|pomóc|otworzyć|określić|stwierdzić|wyświetlić|przeanalizować|(?:obraz|zdjęci|film|wideo|grafik|plik)\w{0,3})"
            r"|\bbrak (?:obraz|zdjęci)\w{0,2}"),
    Refusal("Polish, not known", "“nie wiem”", r"\bnie wiem\b|\bnie (?:można|da się) (?:określić|stwierdzić|powiedzieć)\b", unsure=True),
    Refusal("Russian", "refusals in Russian",
            r"\b(?:извините|простите|к сожалению|прошу прощения)\b|\b(?:я )?не (?:могу|можем|способен|способна|в состоянии|вижу|получил|получила)\b[^.!?\n]{0,50}"
            r"(?:увидеть|видеть|ответить|помочь|просмотреть|посмотреть|открыть|определить|сказать|(?:изображени|картинк|фото|видео|снимк|кадр)\w{0,6})"
            r"|\b(?:изображени|картинк|фото|видео)\w{0,5} (?:не|отсутствует|нет)\b|\bнет (?:изображени|картинк|фото|видео)\w{0,3}"),
    Refusal("Russian, not known", "“не знаю”", r"\bне знаю\b|\bневозможно (?:определить|сказать|ответить)\b", unsure=True),
    Refusal("Chinese", "refusals in Chinese",
            r"(?:抱歉|对不起|對不起|不好意思)|(?:无法|不能|没法|無法|沒法|不便)(?:直接|准确)?(?:回答|作答|查看|看到|看见|观看|识别|访问|打开|处理|分析|提供|協助|协助|帮助|回應|回应|查閱|读取)"
            r"|(?:没有|未|沒有)(?:看到|收到|提供|附上|上传|附带|找到|任何|显示|見到)?(?:任何)?(?:图片|图像|照片|视频|圖片|圖像|影片|图)|看不到(?:任何)?(?:图|圖|照片|视频)|(?:图片|图像|照片|视频|圖片)(?:没有|未能?|无法|沒有|不可)"
            r"|作为(?:一个|一名)?(?:ai|人工智能|语言模型)|拒绝回答"),
    Refusal("Chinese, not known", "“不知道”, “无法确定”", r"不知道|不清楚|(?:无法|不能|難以|难以|無法)(?:从[^。\n]{0,20})?(?:确定|判断|得知|確定|判斷|辨认|看出)", unsure=True),
    Refusal("Japanese", "refusals in Japanese",
            r"申し訳|すみません|ごめんなさい|恐れ入りますが|(?:画像|写真|動画|映像|ファイル)(?:が|は|を|も)[^。\n]{0,20}(?:ません|できない|ない)|(?:お答え|回答|お手伝い|対応)(?:は|を|することは?|することが)?(?:でき|いたしかね|差し控え)|答えられ(?:ません|ない)"),
    Refusal("Japanese, not known", "“わかりません”", r"(?:わかり|分かり)ません|(?:判断|判別|特定)(?:は|が)?でき(?:ません|ない)|不明です", unsure=True),
    Refusal("Korean", "refusals in Korean",
            r"죄송|(?:이미지|사진|영상|그림|동영상|비디오)(?:이|가|를|을|은|는)? ?(?:[가-힣]{1,6} ){0,2}(?:없|볼 수 없|보이지|제공되지|확인할 수 없|첨부되지|열 수 없)|(?:답변|대답|도움|도와|답)[^.\n]{0,8}(?:수 없|수가 없|못)"),
    Refusal("Korean, not known", "“모르겠습니다”", r"모르겠|알 수 (?:가 )?없|판단할 수 없|모릅니다", unsure=True),
    Refusal("Arabic", "refusals in Arabic",
            r"عذر[اً]|آسف|أعتذر|للأسف|(?:لا|لم) (?:أستطيع|يمكنني|أقدر|أرى|أتمكن)|لا (?:توجد|يوجد|يمكن رؤية|تظهر) [^.\n]{0,10}(?:صور|فيديو)|ليست? هناك (?:أي )?صور|الصورة غير"),
    Refusal("Arabic, not known", "“لا أعرف”", r"لا (?:أعرف|أعلم|أدري)|لا يمكن (?:تحديد|معرفة)", unsure=True),
    Refusal("Hindi", "refusals in Hindi",
            r"क्षमा|माफ़|माफ|खेद|(?:देख|बता|कर|दे|मदद|सहायता)[^।\n]{0,12} (?:नहीं|असमर्थ)|(?:उत्तर|जवाब)[^।\n]{0,12} (?:नहीं (?:दे|बता|है मेरे)|असमर्थ)|(?:नहीं|न) (?:देख|दे|बता|कर) (?:सक|पा)|(?:छवि|तस्वीर|चित्र|फोटो|वीडियो)[^।\n]{0,25}नहीं|असमर्थ"),
    Refusal("Hindi, not known", "“पता नहीं”", r"पता नहीं|नहीं (?:पता|जानता|जानती|मालूम)|मालूम नहीं", unsure=True),
)  # fmt: skip
"""The phrases that refuse to answer."""

_SURELY = re.compile("|".join(f"(?:{row.pattern})" for row in REFUSALS if not row.unsure))
_UNSURE = re.compile("|".join(f"(?:{row.pattern})" for row in REFUSALS if row.unsure))
REFUSED_WITHIN = 3000
"""Characters at the beginning, and at the end, in which a refusal is looked for."""


def refusal(text: str, *, unsure: bool = True) -> tuple[int, int] | None:
    """Return where a visible text refuses to answer or states that it cannot; None if it does not.

    With ``unsure=False``, only a real refusal counts, and not "I don't know".

    >>> refusal("I'm sorry, but I can't help with that.") is not None, refusal("The fridge cannot be opened.") is None
    (True, True)
    """
    parts = (
        [(0, text)]
        if len(text) <= 2 * REFUSED_WITHIN
        else [(0, text[:REFUSED_WITHIN]), (len(text) - REFUSED_WITHIN, text[-REFUSED_WITHIN:])]
    )
    for pattern in (_SURELY, _UNSURE) if unsure else (_SURELY,):
        for begin, part in parts:
            lowered = part.lower()
            match = pattern.search(lowered if len(lowered) == len(part) else part)
            if match:
                return begin + match.start(), begin + match.end()
    return None
