"""Cues in the text around a verdict, from which ``standing`` decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class CueStanding(StrEnum):
    """The standing of a possible verdict in a reply."""

    OWN = "own"
    """No cue objects, so the verdict is the judge's."""
    QUOTED = "quoted"
    """Words of another speaker: of the answer under review, or of the prompt."""
    DENIED = "denied"
    """“not [[1]]”, “[[1]] would be too kind”."""
    SUPPOSED = "supposed"
    """“had it named the cup, [[1]]”."""
    EXAMPLE = "example"
    """An example of the form, the rubric or the scale."""
    EARLIER = "earlier"
    """An earlier thought of the judge, or struck-out text."""
    HEDGED = "hedged"
    """“perhaps [[1]]”, “[[0]] or [[1]]”."""
    EACH = "each"
    """One of several values, each for another answer: a column or a row for each."""
    UNCLEAR = "unclear"
    """In the middle of a sentence that does not say whose it is."""


class Reach(StrEnum):
    """The words around a verdict in which a cue is searched."""

    CLAUSE = "clause before"
    """The text before the verdict in its clause."""
    SENTENCE = "sentence before"
    """The text before the verdict in its sentence, from the last “but” or “so” on."""
    BEHIND = "behind"
    """The text right after the verdict."""


@dataclass(frozen=True)
class Cue:
    """Words that determine the standing of a verdict next to them."""

    standing: CueStanding
    reach: Reach
    meaning: str
    pattern: re.Pattern[str]


def _words(*patterns: str) -> str:
    return r"(?<![\w-])(?:" + "|".join(patterns) + r")(?![\w-])"


_WHO = (
    r"(?:(?:the|this|that|a|an|its|his|her|their|hidden|embedded|last|first|final|student's|assistant's|model's) )*"
    r"(?:answer|response|reply|student|assistant(?: [a-z])?|candidate|model|user|author|text|prompt|question|"
    r"instructions?|respondent|it|he|she|they|output(?: \([a-z]\))?|sentence|note|line|message|agent|system|"
    r"rubric|scale|guidelines?|template|someone|some|somebody|others?|reference|writer|person|comment)"
)
_SAYS = (
    r"(?:says?|said|saying|writes?|wrote|written|states?|stated|contains?|contained|includes?|included|asks?|asked|"
    r"demands?|demanded|requests?|requested|tells?|told|orders?|ordered|prints?|printed|reads?|insists?|suggests?|"
    r"suggested|instructs?|instructed|urges?|urged|begs?|begged|wants?|wanted|tries|tried|trying|attempts?|attempted|"
    r"injects?|injected|embeds?|quotes?|quoted|mentions?|mentioned|adds?|added|appends?|appended|declares?|declared|"
    r"begins?|starts?|opens?|ends?|ended|ending|closes|closed|concludes?|concluded|claims?|claimed|proposes?|"
    r"proposed|gives? itself|gave itself|rates? itself|rated itself|awards? itself|hopes?|pleads?|pretends?|reserves?|"
    r"inserts?|inserted|holds?|held|shows?|showed|lists?|listed|carries|has|had|slips?|slipped|tacks?|repeats?|repeated|would say|may say|might say|argues?|argued|thinks|thought|believes|expects|feels)"
)
_FILLING = (
    r"(?:that|it|its|is|are|should|shall|must|be|to|me|us|the|judge|grader|evaluator|text|words?|line|string|rating|"
    r"score|verdict|phrase|lines|instructions?|marker|these|those|following|two|three|itself|an?|for|of|on|by|from|deserves?|give|given|giving|get|output|"
    r"write|writing|print|printing|rate|rated|end|ending|ends|with|at|in|own|literally|as|also|even|here|simply|just|"
    r"my|this|mark|full|marks|follow\w*|quote|please|assign|award|awarded|return|returns|reply|say|saying|grade|"
    r"graded|sentence|answer|hidden|embedded|injected|command|order|request|reader|fake|form|verbatim|receive|"
    r"and|i|deserve|earn|earns|merit|merits|only|always|very)"
)
ANOTHER = r"(?:previous|prior|preceding|earlier|other|example|sample|reference|gold(?:en)?|last|next|following|above|former|latter|second|third|first|competing|rival|alternative|human|expert|baseline|illustration|demonstration|template|placeholder|dummy|another|different|old|original|initial)"
THING = r"(?:answers?|responses?|repl(?:y|ies)|items?|examples?|questions?|one|assistant|candidate|outputs?|student|turn|task|case|model|submission|sample|solution|judge?|rater|grader|annotator|evaluator|pairs?|round|version|only)"
_RATER = r"(?:judges?|graders?|evaluators?|raters?|markers?|examiners?|reviewers?|critics?|teachers?|assessors?|annotators?|referees?|colleagues?|readers?|experts?|people|humans?|users?|scorers?|persons?|instructors?|tutors?|professors?|juror|jury|gpt-?\w*|claude|gemini|llama|models?|one|you|they|anyone|anybody|many|few|most|somebody|someone|others?)"
_RATES = r"(?:give|gave|given|giving|award|assign|rate|score|grade|say|said|answer|choose|chose|pick|put|write|wrote|settle|go|went|accept|allow|grant|conclude|vote|mark|prefer|opt|insist|argue|claim|demand|hand|offer|think|thought|believe|feel|felt|find|found|consider|see|saw|call|judge|hold|held|suggest|report|agree)(?:s|es|ed|ing)?"
LEGEND = r"(?:max(?:imum)?\.?|min(?:imum)?\.?|highest|lowest|best|worst|scale|range|top|bottom|out of|upper (?:bound|limit|end)|lower (?:bound|limit|end)|ceiling|floor|full marks?|perfect(?: score)?|threshold|cut-?off|pass(?:ing)?(?: mark| score| grade)?|legend|key|default|baseline|fail(?:ing)?(?: mark| score| grade)?|mean|average|median|weight|goal|target|expected|desired|requested|count|confidence|certainty|probability|likelihood|deductions?|penalt(?:y|ies)|(?:number of )?(?:errors|mistakes)|bonus|abz\u00fcge?|abzug|strafpunkte?|d\u00e9ductions?|p\u00e9nalit\u00e9s?|deducci(?:\u00f3n|ones)|penalizaci(?:\u00f3n|ones)|\u6263\u5206|\u6263\u9664|\u51cf\u70b9|\u6e1b\u70b9|points (?:lost|deducted)|ideal(?: answer)?)"
SUCH = r"(?:rating|score|verdict|grade|judge?ment|mark|bracket|value|number|line|one)"

CUES: Sequence[Cue] = tuple(
    Cue(standing, reach, meaning, re.compile(pattern, re.IGNORECASE))
    for standing, reach, meaning, pattern in (
        # what stands before, in the clause
        (
            CueStanding.DENIED,
            Reach.CLAUSE,
            "a word that denies: not [[1]], cannot be given [[1]], rather than [[1]], far from [[1]]",
            _words(
                r"not(?! only| a single| just)", r"never", r"nor", r"neither", r"cannot", r"\w+n't", r"without",
                r"hardly", r"barely", r"scarcely", r"no(?! (?:doubt|question|error|mistake|issue|problem|fault|flaw)s?)",
                r"far from", r"nobody", r"none", r"nothing", r"rather than", r"instead of", r"as opposed to", r"rejects?",
                r"rejected", r"rul(?:e|es|ed|ing) out", r"excludes?", r"excluded", r"refus\w+", r"(?:unable|unwilling|impossible|reluctant|not able|no (?:reason|grounds?|basis|way)) (?:to|for)(?: \w+)?", r"declin(?:e|es|ed|ing)", r"(?:hard|difficult|unreasonable|unjustifiable|indefensible) to", r"can't", r"undeserv\w+", r"anything but", r"fail(?:s|ed)? to", r"refrain\w*", r"withh[eo]ld\w*", r"avoid\w*", r"short of", r"miss(?:es|ed)?", r"than",
                r"(?:wrong|mistaken|unfair|inappropriate|absurd|incorrect|unjustified|silly|mistake|error) to", r"doubt\w*", r"disagree\w*",
                r"den(?:y|ies|ied)", r"disput\w+", r"untrue", r"(?:wrong|false|nonsense) that",
                r"nicht", r"kein\w*", r"niemals", r"statt", r"pas", r"jamais", r"ni", r"не", r"нет", r"ни", r"nunca",
                r"n[aã]o", r"non", r"nem", r"niet", r"geen", r"nie", r"inte", r"aldrig", r"değil", r"لا", r"ليس", r"नहीं",
            )
            + r"|[不没非未无別别]|ない|なく|ません|아니|않|못",
        ),
        (
            CueStanding.HEDGED,
            Reach.CLAUSE,
            "a word that leaves the verdict open: perhaps [[1]], either [[0]], between [[0]], at least [[1]], "
                "or [[1]]",
            _words(
                r"maybe", r"perhaps", r"possibly", r"probably", r"likely", r"presumably", r"arguably", r"either",
                r"between", r"somewhere", r"around", r"about", r"approximately", r"roughly", r"could", r"may", r"might",
                r"unsure", r"uncertain", r"torn", r"hesitat\w+", r"waver\w*", r"at least", r"at most", r"at best",
                r"up to", r"as (?:low|high) as", r"or", r"versus", r"vs", r"vielleicht", r"wohl", r"eventuell", r"oder",
                r"peut-être", r"ou", r"возможно", r"может", r"или", r"quizás?", r"tal vez", r"talvez", r"forse", r"kanske",
            )
            + r"|可能|也许|或许|或者|或|大概|多分|おそらく|たぶん|아마",
        ),
        # what stands before, in the sentence
        (
            CueStanding.DENIED,
            Reach.SENTENCE,
            "the judge says that it cannot give the verdict: I cannot give this rating: [[1]], unable to award",
            _words(
                r"(?:can ?not|can't|could not|couldn't|unable to|not able to|unwilling to|impossible to|refus\w+ to|declin\w+ to|won't|will not|would not|wouldn't|never|do not|don't|did not|didn't|does not|doesn't|shall not)"
                r"(?: \w+ly| simply| possibly| in good conscience)? (?:give|award|assign|justify|support|grant|endorse|accept|offer|defend|agree with|agree to|stand (?:behind|by)|recommend|approve|confirm|vouch for|say|follow|write|issue|see how)"
            )
            + r"(?: (?:it|this|these|those|the|that|such|an?|any|him|her|them|answer|response|student|candidate|scores?|ratings?|verdicts?|grades?|following|here|below|as|of|to|for|like|with|even|my))*[\s:=*_\"'`(\[-]*$"
            + rf"|^\W*(?:the |my |no |any )?{SUCH}s? (?:(?:is|was|are|were|i|we|that|has been) )?(?:rejected|withdrawn|ruled out|denied|overruled|dismissed|crossed out|struck out|discarded|ignored?|withheld|refused|retracted|revoked|invalid|void|wrong|incorrect|mistaken|reject|refuse|deny|pending|suspended|requested|demanded|claimed|without|before|excluding|otherwise|so far|not given|not yet|confidence|certainty|in (?:the|an) example)\b[^.;\n]{{0,40}}[:=][\s*_\"'`(]*$",
        ),
        (
            CueStanding.SUPPOSED,
            Reach.SENTENCE,
            "a hypothetical verdict: if it named the cup, had it, would have been, otherwise",
            _words(
                r"(?<!even )(?<!as )(?<!see )(?<!check )(?<!ask )(?<!asked )(?<!asks )if(?! anything)", r"unless",
                r"had (?:it|the|they|he|she|this|that|you|one|there|we|i)(?! to)\b", r"were (?:it|the|there|this|i|we|one|they)",
                r"suppos(?:e|ing)", r"assum(?:e|ing)", r"(?<=, )provided (?:that|it|the)", r"in case", r"otherwise", r"hypothetical\w*",
                r"(?:would|could|might|should|'d) have", r"imagine", r"were to", r"whenever", r"in which case", r"as long as",
                r"(?<!i )would (?:be|get|deserve|earn|merit|receive|need|warrant|score|call for|justify|have|rate|bring|mean)",
                r"an? (?:wrong|incorrect|right|correct|perfect|complete|incomplete|better|worse|good|bad|partial\w*|full\w*) answer",
                r"wenn", r"falls", r"hätte\w*", r"wäre\w*", r"sonst", r"si", r"sinon", r"eût", r"aurait", r"serait", r"если",
                r"бы", r"иначе", r"hubiera", r"sería", r"seria", r"sarebbe", r"fosse", r"se", r"eğer",
            )
            + r"|如果|假如|若|否则|要是|もし|であれば|만약",
        ),
        (
            CueStanding.EXAMPLE,
            Reach.SENTENCE,
            "an example, or a quoted rule: for example, such as, in the form of, the rubric says",
            _words(
                r"for example", r"for instance", r"e\.g", r"eg", r"such as", r"examples?", r"sample", r"exemplary", r"illustrat\w+",
                r"(?:format|form|template|pattern)(?: (?:is|was|would be|reads|must be|should be|like|of))?[: \"'`*]*$",
                r"(?:asked|told|instructed|supposed|required|requested|meant|expected|have|has|had|need|needs|needed|want\w*) (?:me )?to "
                r"(?:end|close|reply|answer|write|finish|conclude|use|respond|output|rate|say|state|put|format|choose|pick)",
                r"(?:must|should|shall|can|may|has to) (?:\w+ )?(?:end|close|reply|answer|write|finish|conclude|respond|output|read|look|be written|be given as|be stated)",
                rf"^\W*(?:\d+[.)] )?(?:the |a )?{LEGEND}(?:(?: (?:possible|attainable|allowed|available|{SUCH}s?|points?|marks?|is|are|was|of|on|for|in|at|end|this|the|our|a|scale|rubric|to|reach|get))*[\s:=*_\"'`(\u2013\u2014-]*)$",
                r"options?", r"possible(?: \w+)?", r"allowed(?: \w+)?", r"permitted", r"choices(?: \w+)?", r"one of",
                r"(?<!this )(?<!the )(?<!on a )scale", r"rubric[: (=\"']*$", r"legend", r"(?:rating|scoring|grading)s? (?:scale|scheme|guide\w*|key|rubric|system|options|rules?|levels?|criteria)",
                r"(?:scale|rubric|scheme|key|guide\w*|instructions?|criteria|prompt)(?: here)? (?:is|are|was|were|says?|said|reads?|states?|gives?|defines?|lists?|reserves?|asks?|allows?|has|had|runs?|goes|requires?|demands?|wants?|calls?|uses?|offers?|knows?|means?)",
                r"means?", r"stands? for", r"denotes?", r"where", r"decide", r"choose (?:between|from|among|one)", r"pick (?:between|from|one)", r"placeholder", r"dummy",
                r"(?:reply|answer|looks?|something|lines?|respond|output|reads?|written|it) like(?: this)?[: \"'`*]*$",
                r"z\.B", r"zum Beispiel", r"beispiel\w*", r"etwa", r"par exemple", r"например", r"por ejemplo", r"per esempio", r"por exemplo", r"bijvoorbeeld", r"skala",
            )
            + r"|例如|比如|譬如|例えば|たとえば|예를 들어|예:|评分标准|量表|格式|示例",
        ),
        (
            CueStanding.EARLIER,
            Reach.SENTENCE,
            "an earlier thought: at first, initially, I was going to say, tempted to give, some may say",
            _words(
                r"at first", r"(?:first|initial|original|earlier|previous|old|gut) (?:thought|impression|glance|sight|pass|reading|draft|instinct|reaction|guess|idea|verdict|rating|score|take|look|version|choice|inclination|grade)",
                r"first (?:wrote|gave|said|thought|had|put|wanted|chose|rated|considered|leaned)", r"initially", r"originally", r"going to (?:say|give|write|rate|assign|put)", r"about to (?:say|give|write|rate|assign|put)",
                r"tempt\w+", r"inclin\w+", r"lean\w*", r"instinct", r"earlier", r"previously", r"almost", r"nearly", r"consider(?:ed|ing)?(?: (?:giving|rating|writing|a|an|the|it|of|whether))*\W*$", r"thought (?:of|about)",
                r"started (?:with|at|out|from)", r"(?:one|someone|somebody|some|you|others|people|a reader|another judge) (?:could|might|may|would|can|will)", r"seem\w*", r"looks? like", r"at a glance", r"on the (?:face|surface)",
                r"wanted", r"wondered", r"(?:used|meant) to (?:be|say|give)", r"had (?:given|written|put|said|chosen)", r"draft", r"preliminary", r"tentativ\w+", r"provisional\w*",
                r"zuerst", r"zunächst", r"anfangs", r"d'abord", r"au début", r"сначала", r"primero", r"al principio", r"inizialmente", r"instead of",
            )
            + r"|起初|一开始|最初|起先|初めは|처음",
        ),
        (
            CueStanding.QUOTED,
            Reach.SENTENCE,
            "someone else's words: the answer says, the student asks for, as instructed by the answer",
            rf"(?:\b(?:an?|any|another|other|some|many|most|few|every|each|one|two|no|his|her|their|its|your|different|strict\w*|lenient|harsh|human|hypothetical|previous|second|third|less|more|certain|all|my|our)(?: [\w-]+){{0,3}}? {_RATER}|(?<![\w-])(?:gpt-?\w*|claude|gemini|llama|people|others|colleagues|critics|reviewers|anyone|everyone|somebody|someone))(?:, [^,.;\n]{{1,40}},)?(?: (?!i\b)[\w'-]+){{0,3}} {_RATES}\b(?:(?! i\b)[^,.;!?\n]){{0,80}}$"
            rf"|\b{_WHO}(?: \w+){{0,2}}?(?: \w+ly)? {_SAYS}(?:[:,]? {_FILLING})*\s?[:,]?\s?[\"'`(*]*$"
            rf"|\b(?:ignor\w+|disregard\w*|discard\w*|inject\w+|manipulat\w+|embedded|demand\w*|plea|beg|begs|begging|so-called|"
            rf"self-\w+|instruction to|attempt(?:s|ed|ing)? to|claims? (?:of|that|to)|quot(?:e|es|ed|ing)|setting aside|leaving aside|notwithstanding|despite)\b(?! this)[^,;.!?\n]{{0,80}}$"
            rf"|\b(?:student|assistant|candidate|model|author|user|agent)(?: [a-z])?'s (?:own )?(?:answer|response|reply|text|output|words?|{SUCH})(?: is| was| reads)?[ :\"'`*(]*$"
            r"|\b(?:told|asked|instructed|ordered|urged|requested|prompted|begged|forced|commanded) by\b[^,;.!?\n]{0,80}$"
            r"|\baccording to (?:the|its|this|their) (?:answer|response|reply|student|assistant|candidate|author|model|agent|text)\b[^;.!?\n]{0,80}$|\baccording to output[^;.!?\n]{0,80}$"
            rf"|(?:^|\]\])\W*(?:the )?(?:answer|response|reply|student|assistant|candidate|user|human|question|reference)(?: [a-z0-9])?\s?(?: says)?[:][ \"'`*(]*$"
            rf"|^\W*(?:(?:here (?:is|are) )?(?:the |my )?(?:{SUCH}s? )?(?:for|of|about|on|regarding|in|as for) (?:the |my |an? )?){ANOTHER}(?:(?:'s)? (?:{THING}|{SUCH}s?|[a-d1-9]))*[ *_]*[:,=][ \"'`*(]*$"
            rf"|^\W*(?:the |my )?{ANOTHER}(?: {THING})?(?:'s)?(?: {SUCH})?[ *_]*[:=][ \"'`*(]*$"
            r"|(?:回答|答案|学生|考生|助手)(?:说|写|称|要求|中|里|包含|写道|写着|声称)[^,;.!?。，；\n]{0,40}$",
        ),
        # what follows at once
        (
            CueStanding.DENIED,
            Reach.BEHIND,
            "the verdict is denied: [[1]] is not, would be too kind, is out of the question, which I disagree with",
            r"^[ *_`\"')\]]*,?\s?\(?before (?:any |the |my |all )?(?:deductions?|penalt(?:y|ies)|adjustments?|subtract\w+|taking off)\b|"
            r"^[ *_`\"')\],:\u2013\u2014-]*\(\s?(?:(?:this|that|it) (?:is|was) )?(?:rejected|withdrawn|ruled out|denied|overruled|dismissed|crossed out|struck out|discarded|ignored?|withheld|refused|retracted|revoked|invalid|void|wrong|incorrect|mistaken|not (?:final|mine|my|given|yet|valid|sure|certain|deserved|counted|the final|earned|justified|applicable|awarded)|nobody|kidding)\b"
            r"|^[ *_`\"')\]]*,?\s?(?:which |that |it |this )?(?:is|was|has been|gets|must be|has to be|should be|is to be|needs to be|had to be) (?:\w+ly |hereby )?(?:rejected|withdrawn|ruled out|denied|overruled|dismissed|crossed out|struck out|discarded|ignored?|withheld|refused|retracted|revoked|invalid|void|wrong|incorrect|mistaken)\b"
            r"|^[ *_`\"')\]]*,?\s?(?:which|that|it|this|but that)?\s?(?:(?:is|was|are|were|would be|would have been|'s|seems?|seemed|looks?|feels?|felt|sounds?|might be|could be|strikes me as|may be|will be)"
            r"(?: \w+ly| far| much| a bit| a little| simply| just| also| rather| still| therefore| then)?"
            r" (?:not|n't|never|no|too|wrong|out of|off|over\w*|excluded|unjust\w+|inappropriate|unfair|undeserved|harsh|generous|kind|lenient|strict|impossible|ruled out|unwarranted|incorrect|mistaken|false|nonsense|a mistake|an error|absurd)\b"
            r"|(?:does not|doesn't|did not|didn't) (?!(?:describ|nam|mention|match|identif|follow|answer|address|contain|includ|show|stat|recogni|explain|reach|stop|pick|choos|tak|see)\w*)\w+|(?:isn't|wasn't|cannot|can't|could not|couldn't|won't|will not|would not|wouldn't|should not|shouldn't|is no|has no)\b"
            r"|(?:i )?(?:disagree|reject|refuse|dismiss|doubt)\b|\?\s?(?:no\b|not\b|hardly|never|nein|non\b|нет|不)|不对|不合适|太高|太低)",
        ),
        (
            CueStanding.EXAMPLE,
            Reach.BEHIND,
            "the verdict is explained, not given: [[1]] means, is for, if A is better, = right, for example, is "
                "reserved for",
            r"^[ *_`\"')\]]*\(\s?(?:hypothetical\w*|if|placeholder|default|quoted|copied|dummy|for illustration|illustrat\w+|to be (?:confirmed|decided|determined)|tbd|tbc|pending|draft|tentative\w*|provisional\w*|preliminary)\b"
            r"|^[ *_`\"')\]]*(?:,? ?\(?(?:for example|for instance|e\.g\.?|say|or similar|or the like|etc|and so on)(?=[ *_`\"')\].!]*(?:\n|$))"
            r"|(?:is|are|was|would be) (?:only |just )?(?:for|reserved|meant|defined|given (?:for|when|to|if|only)|used (?:for|when)|what|right only|allowed|an? (?:example|option|choice|possib\w+|placeholder|illustration)|only|the (?:highest|lowest|best|worst|top|maximum|minimum|form|format))\b"
            r"|(?:means?|stands? for|denotes?|signif\w+|indicates?|represents?|would mean|implies|applies)\b"
            r"|[\],.;:(\u2013\u2014-]*\s?\(?(?:this|that|which|it)(?: is| was|'s) (?:only |just |merely )?(?:an?|the|your|my)? ?(?:example|form|format|template|placeholder|sample|illustration)\b"
            r"|[,:;]?\s?(?:if|when|whenever|where|for (?:an?|any|every|all|answers|those|replies)) (?!naming|giving|the record|what|it )"
            r"|[:=]\s?(?:\"|')?(?:wrong|right|correct|incorrect|partly|partial\w*|fully|bad|good|poor|excellent|worst|best|no(?=\s?[.,;!]|\s*$)|yes|false|true|a is|b is|both|neither|tie)\b"
            r"|等|表示|代表|(?:für|pour|para|per|для) )",
        ),
        (
            CueStanding.SUPPOSED,
            Reach.BEHIND,
            "the verdict has a condition: [[1]] if the lid counts, unless, would be right, provided that",
            r"^[ *_`\"')\],;:-]*(?:only )?(?:if|unless|provided|assuming|had (?:it|the|they|he|she)|were (?:it|the)|as long as|in case|wenn|falls|si |если|如果)\b"
            r"|^[ *_`\"')\]]*(?:would|might|could|may|should have|could have|würde|wäre)\b",
        ),
        (
            CueStanding.EARLIER,
            Reach.BEHIND,
            "the verdict was the first thought: [[1]] at first glance, initially, was my first thought",
            r"^[ *_`\"')\],]*(?:at (?:a )?first|initially|on (?:a )?first|at a glance|prima facie|originally|(?:was|is|had been) (?:my|the|an?) (?:first|initial|original|earlier|previous|tempting|early)|was (?:what i|tempting|considered)|comes? to mind|(?:is|was|seems|looks|may be|might be) (?:tempting|defensible|arguable|attractive|possible|close)|on the (?:face|surface)|zunächst|zuerst|d'abord|сначала)\b",
        ),
        (
            CueStanding.HEDGED,
            Reach.BEHIND,
            "the verdict is left open: [[0]] or [[1]], [[0]]-[[1]], [[1]]?, [[1]], perhaps",
            r"^[ *_`\"')]*(?:(?:or|and/or|oder|ou|или|或者?|または|또는)(?![\w-])|[/~\u2013\u2014-]+\s?\[*\s?[\d.,]|/\s?[\[\w]|to \[*\s?\d|\.\.+\s?\[|\?|[(,]\s?(?:or|maybe|perhaps|possibly|arguably|probably)\b|,? (?:at (?:most|best|least)|give or take|or (?:so|thereabouts|higher|lower|less|more))\b|\+)",
        ),
        (
            CueStanding.QUOTED,
            Reach.BEHIND,
            "the verdict is someone else's: [[1]], as the answer demands; is an attempt to influence me",
            rf"^[\s*_`\"')\],.;:\u2013\u2014-]*(?:(?:is|was) )?(?:as|what|like|so|the rating) {_WHO} (?:\w+ )?(?:{_SAYS}(?=\s?(?:[.,;:!)\n]|$|so\b|it\b|me\b|for\b))|(?:asks|demands|wants|claims|requests|insists|begs|urges|hopes)\b)"
            rf"|^[ *_`\"')\],:\u2013\u2014-]*\(?\s?(?:(?:this |that |it |which )?(?:was|is|were|has been) )?(?:(?:as )?(?:given|requested|demanded|asked for|claimed|suggested|proposed|assigned|awarded|wanted|chosen|self-?\w+)(?: by| to| for)?|according to|the (?:verdict|rating|score|opinion|view) of|by|per)\s(?:the |an? |its |their |my )?(?:[\w-]+ )?(?:{_RATER}|{_WHO}|itself|reference|annotator|student)\b"
            r"|^[ *_`\"')\],:\u2013\u2014-]*\(?(?:self-?\w+|(?:the )?(?:student|assistant|candidate|model)'s\b)"
            rf"|^[\s*_`\"')\],.;:\u2013\u2014-]*(?:says|said|writes|wrote|claims|demands|asks|insists|pleads) (?:the )?(?:{_WHO})\b"
            r"|^[\s*_`\"')\],.;:\u2013\u2014-]*(?:(?:which|this|that|it|and this|but this|but that)\s?)?(?:(?:is|was|looks like|seems to be|appears to be|are) )?(?:\w+ly |just |only |nothing but |not my |part of )*(?:an? |the )?(?:\w+ )?(?:attempt|injection|trick|manipulation|instruction|demand|self-\w+|quote|quotation|words? of|text (?:in|of|from)|ploy|plea|hack|jailbreak|command)\b"
            rf"|^[\s*_`\"')\],.;:\u2013\u2014-]*(?:which|this|that|and|but|a claim|words?|something|and that|but that)?\s?(?:that )?(?:i|we|will|must|can|should|shall|is|are|be|was|to)(?: be| am| do| shall| will| must| have| can| should)?(?: not (?:follow\w*|obey\w*|accept\w*|heed\w*))?\s?(?:ignor\w+|disregard\w*|leave aside|leave out|left aside|set aside|discard\w*|not follow|not obey|quot\w+)\b"
            rf"|^(?:[ *_`\"')\],:\u2013\u2014-]*(?:<-+|\u2190|->|=>|#|//)? ?[(\[]?|[\s*_`\"')\].]*[(\[])(?:(?:this|that|it|which) (?:is|was) )?(?:(?:for|of|to|from|about|by|on|in|as in|see|copied from|taken from|given (?:to|by|in))(?: the| my| an?| its| your| that)? |(?:the|my|your|that) )?{ANOTHER}(?:(?:'s)? (?:{THING}|{SUCH}|[a-d1-9])){{0,2}}(?=\s?(?:[).,;\]|]|\n|$))"
            r"|^[\s*_`\"')\]]*(?:<-+ ?|\u2190 ?|\()?(?:(?:this|that|it|which) (?:is|was|were|stood|stands|comes|came) )?(?:inside|within|in|from|at the end of|(?:quoted|copied|taken|printed|written) (?:from|in)|part of) (?:the|its|this|that) (?:student's |assistant's |model's )?(?:answer|response|reply|text|prompt|rubric|instruction\w*)\b",
        ),
    )
)  # fmt: skip
"""The cues against a verdict of the judge's own. The first one that matches determines the standing."""
