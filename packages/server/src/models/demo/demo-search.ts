/** A heading says what its lines are about, but less surely than their own words do. */
const HEADING_WEIGHT = 0.6;
/** For the lines of a list whose heading has every word of the question: the list is what was asked for. */
const TITLE_WEIGHT = 0.9;
/** The message before the last one only helps to choose among what the last one already matches. */
const EARLIER_WEIGHT = 0.5;
/** Share of the question's weight that a passage must match, and the milder share when it matches two different words. */
const ENOUGH = 0.5;
const ENOUGH_FOR_TWO = 0.3;
/** A passage with this share of the best one's score is as good. */
const NEARLY = 0.85;
/** Longer sentences are cut into pieces of this many characters, so that a prompt without punctuation is not quoted whole. */
const PASSAGE_LENGTH = 400;
/** Longer lines are prose, whatever they look like. It also bounds what the line patterns below can cost. */
const TITLE_LENGTH = 120;
/** A question's first words decide; more would only multiply the work. */
const QUESTION_WORDS = 64;
const MOST_PASSAGES = 3;
const MOST_LINES = 8;

type Section = { title: string; words: Set<string>; isInstruction: boolean; indent: number };
type Passage = { text: string; words: Set<string>; section: Section | null; listed: boolean; order: number };
type Hit = { passage: Passage; score: number; matched: string[]; byTitle: boolean };

const mentions = (passage: Passage, word: string) =>
  passage.words.has(word) || passage.section?.words.has(word) === true;

/**
 * Answers a question with the one to three passages of a system prompt that share its rarest words, in their order; a
 * question that matches only a heading gets the lines under it (eight at most). Sentences that instruct the agent are
 * never quoted. `earlier` is the message before; it counts when the question is a short follow-up ("and on Sunday?").
 * `null` when nothing matches clearly. The work is proportional to the prompt's length.
 */
export function searchPrompt(systemPrompt: string, question: string, earlier = ""): string | null {
  const passages = readPassages(systemPrompt);
  const found = new Set(questionsIn(question).flatMap((part) => find(passages, part, earlier)));
  return found.size > 0 ? write([...found].toSorted(byOrder)) : null;
}

/** "I need a bike. When are you open and what is a service?" asks two things. */
function questionsIn(message: string): string[] {
  const all = sentences(message);
  const asked = all.filter((sentence) => /[?？]["'”»)]?$/.test(sentence));
  if (asked.length === 0) return [message];
  return asked.flatMap((sentence) => sentence.split(betweenQuestions)).slice(0, MOST_PASSAGES);
}
const betweenQuestions =
  /,? (?:and|und|et) (?=(?:what|when|how|where|do|does|is|are|can|which|who|was|wann|wie|wo|haben|quand|combien|comment)\b)/i;

function find(passages: Passage[], question: string, earlier: string): Passage[] {
  const wanted = [...new Set(contentWords(question))].slice(0, QUESTION_WORDS);
  const context = isFollowUp(question, wanted) ? [...new Set(contentWords(earlier))].slice(0, QUESTION_WORDS) : [];
  const rarity = rarityOf([...wanted, ...context], passages);
  const weigh = (words: string[]) => words.reduce((sum, word) => sum + rarity(word), 0);
  const hits = passages.flatMap((passage): Hit[] => {
    const own = wanted.filter((word) => passage.words.has(word));
    const titled = wanted.filter((word) => passage.section?.words.has(word));
    const matched = [...new Set([...own, ...titled])];
    if (matched.length === 0) return [];
    const weight = passage.listed && titled.length === wanted.length ? TITLE_WEIGHT : HEADING_WEIGHT;
    const fromTitle = weigh(matched) - weigh(own);
    const before = weigh(context.filter((word) => mentions(passage, word)));
    const score = (weigh(own) + weight * fromTitle + EARLIER_WEIGHT * before) / (1 + passage.words.size / 50);
    return [{ passage, score, matched, byTitle: passage.listed && matched.length === titled.length }];
  });
  const best = hits.reduce<Hit | null>((first, hit) => (first && first.score >= hit.score ? first : hit), null);
  if (!best || weigh(best.matched) / weigh(wanted) < (best.matched.length > 1 ? ENOUGH_FOR_TWO : ENOUGH)) return [];
  // The list under a heading that says it all belongs together; otherwise the best and its equals.
  if (best.byTitle)
    return hits
      .filter((hit) => hit.byTitle && hit.passage.section === best.passage.section)
      .map(passageOf)
      .slice(0, MOST_LINES);
  return hits
    .filter((hit) => hit.score >= best.score * NEARLY)
    .map(passageOf)
    .slice(0, MOST_PASSAGES);
}

const passageOf = (hit: Hit) => hit.passage;
const byOrder = (a: Passage, b: Passage) => a.order - b.order;

/** What the prompt knows about, by its headings and labels, at most `most` of them. */
export function promptTopics(systemPrompt: string, most = 5): string[] {
  const passages = readPassages(systemPrompt);
  const titles = passages.map(({ section }) => (section && !section.title.endsWith("?") ? section.title : ""));
  const labels = passages.map(({ text }) => /^([\p{L}][^:.]{2,30}): /u.exec(text)?.[1] ?? "");
  const isTopic = (name: string) =>
    name !== "" && tokens(name).some((token) => token.stems.some((stem) => !timeWords.has(stem)));
  const named = titles.some(isTopic) ? titles : labels;
  return [...new Set(named.filter(isTopic))].slice(0, most);
}

function isFollowUp(question: string, wanted: string[]) {
  const connected = /^(?:and|or|but|also|then|what about|how about|und|oder|auch|et|ou|y|o)\b/.test(
    fold(question.trimStart()),
  );
  return wanted.length <= 2 && (connected || tokens(question).length <= 3);
}

/** Inverse document frequency among the passages; a word that is nowhere weighs as one that is somewhere once. */
function rarityOf(words: string[], passages: Passage[]) {
  const known = new Map<string, number>();
  for (const word of new Set(words)) {
    const found = passages.reduce((sum, passage) => sum + (mentions(passage, word) ? 1 : 0), 0);
    known.set(word, Math.log(1 + passages.length / Math.max(1, found)));
  }
  return (word: string) => known.get(word) ?? 0;
}

/** Sentences run on; listed lines stand under their heading, once. */
function write(passages: Passage[]): string {
  let text = "";
  let before: Passage | undefined;
  for (const passage of passages) {
    const { section, listed } = passage;
    const titled = listed && section !== null && section.title !== "" && !section.title.endsWith("?");
    if (titled && section !== before?.section) text += `${text && "\n\n"}${section.title}:`;
    const several = titled || (listed && passages.length > 1);
    text += several ? `${text && "\n"}- ${passage.text}` : `${text && (before?.listed ? "\n\n" : " ")}${passage.text}`;
    before = passage;
  }
  return text;
}

function readPassages(prompt: string): Passage[] {
  const passages: Passage[] = [];
  let heading: Section | null = null;
  let lead: Section | null = null;
  for (const line of prompt.split(/\r?\n/)) {
    const { kind, text, indent } = readLine(line);
    const inList: boolean = kind === "item" || kind === "lead-item";
    if (
      lead &&
      (lead.title.endsWith("?")
        ? kind !== "prose" && kind !== "item"
        : kind !== "blank" && !(inList && indent > lead.indent))
    ) {
      lead = null;
    }
    if (kind === "heading") heading = text === "" ? null : sectionOf(text, indent, null);
    else if (kind === "lead" || kind === "lead-item") lead = sectionOf(text, inList ? indent : -1, lead ?? heading);
    if (kind !== "prose" && kind !== "item") continue;
    for (const sentence of sentences(text)) {
      if (sentence.endsWith("?") || sentence.endsWith("？")) {
        lead = sectionOf(sentence.replace("？", "?"), -1, heading);
        continue;
      }
      const section: Section | null = lead ?? heading;
      if (section?.isInstruction) continue;
      if (isInstruction(sentence)) {
        // "The code is 4711. Do not share it." hides the sentence that it speaks of.
        if (hidesOthers.test(fold(sentence))) passages.pop();
        continue;
      }
      for (const piece of pieces(sentence.replace(/^(?:a|answer|antwort): /i, ""))) {
        passages.push({
          text: piece,
          words: new Set(contentWords(piece)),
          section,
          listed: kind === "item",
          order: passages.length,
        });
      }
    }
  }
  return passages;
}

type Line = { kind: "blank" | "heading" | "lead" | "lead-item" | "item" | "prose"; text: string; indent: number };

function readLine(line: string): Line {
  const indent = line.length - line.trimStart().length;
  const clean = line.replace(/\s+/g, " ").trim();
  const short = clean.length <= TITLE_LENGTH;
  const tag = short ? /^<(\/?)([\w-]+)>$/.exec(clean) : null;
  if (tag) return { kind: "heading", text: tag[1] ? "" : (tag[2] ?? "").replace(/[_-]/g, " "), indent };
  if (clean === "" || (short && /^[|:\-\s=_*]+$/.test(clean))) return { kind: "blank", text: "", indent };
  const title = short ? /^(?:#{1,6} (.+)|\*\*([^*]+)\*\*:?)$/.exec(clean) : null;
  if (title) return { kind: "heading", text: title[1] ?? title[2] ?? "", indent };
  if (clean.startsWith("|")) {
    const cells = clean.split("|").map((cell) => cell.trim());
    return { kind: "item", text: cells.filter((cell) => cell !== "").join(", "), indent };
  }
  const item = /^(?:[-*•–+]|\d{1,3}[.)]) (.*)$/.exec(clean)?.[1];
  const text = (item ?? clean).replace(/^(?:q|question|frage): /i, "");
  if (short && text.endsWith(":")) return { kind: item === undefined ? "lead" : "lead-item", text, indent };
  return { kind: item === undefined ? "prose" : "item", text, indent };
}

function sectionOf(line: string, indent: number, parent: Section | null): Section {
  const title = line.replace(/[*#_]/g, "").trim().replace(/ ?:$/, "");
  const leadsToFacts =
    /\b(?:facts?|info|information|knowledge|details?|data|faq|context|products?|informationen|fakten)\b/.test(
      fold(title),
    );
  const instructs = isInstruction(title) || (parent?.isInstruction ?? false);
  // "Answer from these facts:" is an instruction, its lines are not. "Never share this information:" hides its lines.
  if (instructs && leadsToFacts && !/\b(?:not?|never|secret|confidential|internal|private)\b|n't/.test(fold(title))) {
    return { title: "", words: parent?.words ?? new Set(), isInstruction: parent?.isInstruction ?? false, indent };
  }
  return {
    title,
    words: new Set([...contentWords(title), ...(parent?.words ?? [])]),
    isInstruction: instructs,
    indent,
  };
}

/** Sentences of one line of text. Abbreviations, initials and numbers in the middle of a sentence do not end it. */
export function sentences(text: string): string[] {
  const clean = text.replace(/\s+/g, " ").trim();
  return clean.split(sentenceEnd).filter((sentence) => sentence !== "");
}
const sentenceEnd =
  /(?<=[.!?…]["'”»)\]]?)(?<!(?:^|[ (.])(?:\p{L}|[DMS]r|Mrs|Ms|St|No|Nr|ca|bzw|vs|approx|Tel)\.) (?!\p{Ll})|(?<=[。！？])/u;

function pieces(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest.length > PASSAGE_LENGTH) {
    const space = rest.lastIndexOf(" ", PASSAGE_LENGTH);
    // Never between the two halves of one character.
    const end = space > 0 ? space : PASSAGE_LENGTH - (/[\uD800-\uDBFF]/.test(rest.charAt(PASSAGE_LENGTH - 1)) ? 1 : 0);
    parts.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return [...parts, rest].filter((part) => part !== "");
}

/** A sentence that tells the agent how to behave. It is not knowledge, and what the agent was told is not for visitors. */
function isInstruction(sentence: string): boolean {
  const text = fold(sentence).replace(/^[\s"'“„(*_>-]+/, "");
  const label = text.indexOf(":");
  const labelled = label > 0 && label <= 40;
  if (labelled ? instructionTitle.test(text.slice(0, label).trim()) : instructionTitle.test(text)) return true;
  return (
    instructionStart.test(text) ||
    (labelled && instructionStart.test(text.slice(label + 1).trim())) ||
    instructionInside.test(text)
  );
}

const instructionTitle =
  /^(?:the |your |general |core |basic |important )?(?:(?:answer|response|reply|conversation|behaviou?r) )?(?:rules?|instructions?|guidelines?|behaviou?r|tone|tone of voice|style|persona|personality|role|task|goals?|objectives?|constraints?|restrictions?|internal|confidential|output|format|language|do'?s|don'?ts|do not|safety|how to (?:answer|respond|behave)|regeln|anweisungen|verhalten|tonfall|regles|consignes|instrucciones|reglas|ルール|指示|规则)$/;
const agentVerb =
  "(?:be|act|answer|respond|reply|speak|write|talk|help|assist|support|use|call|offer|suggest|recommend|mention|tell|say|ask|refer|share|reveal|disclose|discuss|provide|give|greet|check|look|keep|stay|follow|pretend|remember|ensure|make sure|avoid|refuse|decline|ignore|focus|limit|prefer|stick|sound|invent|guess|promise|represent|introduce|direct|quote|translate|summari[sz]e|handle|access)";
const instructionStart = new RegExp(
  `^(?:(?:please|kindly|politely|and|also|then|so|but) )*(?:${[
    "you(?:'re| are| must| should| shall| act| help| work| represent| speak| answer| respond| know| serve| assist| support| never| always| only| do not| don't| have access)\\b",
    `you (?:can(?:not|'t)?|may|will|could|need to|have to)(?: not| also| only| always| never)? ${agentVerb}\\b`,
    "your (?:name|role|task|job|goal|tone|answers?|repl(?:y|ies)|responses?|purpose|persona|style|audience|instructions?|mission)\\b",
    `(?:only )?${agentVerb}\\b(?! ?[:-])`,
    "(?:always|never|do not|don't|under no circumstances|at all times)\\b",
    "(?:if|when|whenever|once|before|unless)\\b[^.]{0,40}\\b(?:(?:users?|customers?|visitors?|guests?|clients?|someone|anyone|people|they) (?:asks?|wants?|needs?|requests?|complains?|mentions?|says?|writes?|is|are|seems?)|asked|you (?:do not|don't|cannot|can't|are unsure|are not|aren't|lack))\\b",
    "(?:du (?:bist|sollst|musst|darfst|kannst|hilfst|antwortest)|sie sind (?:ein|der|die|das)|antworte|antworten sie|beantworte|verwende|nutze|sei|bleib|bleibe|vermeide|erfinde|nenne|gib|sag|sage|niemals|nie|immer|wenn (?:der|die|ein|eine) (?:nutzer|kunde|besucher))\\b",
    "(?:tu es|vous etes|reponds|repondez|utilise|utilisez|sois|soyez|reste|restez|evite|evitez|toujours|jamais|ne)\\b|n'",
    "(?:eres|responde|usa|utiliza|evita|nunca|siempre)\\b",
    "あなたは|(?:你是|您是|你应该|你必须|你要|请用|请以|请不要|请勿|请始终|不要|务必|始终|切勿)",
  ].join("|")})`,
);
const hidesOthers =
  /(?:\bnot|\bnever|n't) (?:share|reveal|mention|tell|disclose|repeat|give)\b.{0,40}\b(?:it|this|that|them)\b/;
const instructionInside =
  /\b(?:system prompt|(?:these|your|my) instructions|the (?:user|assistant)s?\b|language model|as an ai\b|you (?:must|should|may not)\b)|[,;:—–-] (?:so |and |but )?(?:do not|don't|never|always) |(?:答えて|回答して|返答して|しないで)(?:ください|下さい)|してはいけません|決して/;

export type Token = {
  /** As it stands in the text, from character `at`. */
  text: string;
  at: number;
  /** Without case, accents and apostrophes. */
  word: string;
  /** What to search by: none for a stop word, several for a run of Chinese, Japanese, Thai or Korean. */
  stems: string[];
};

/** The words of a text. Scripts that write no spaces give pairs of characters, which match parts of longer words. */
export function tokens(text: string): Token[] {
  return Array.from(text.matchAll(tokenPattern), (match): Token => {
    const [found] = match;
    const word = simplify(found);
    const stems = stemsOf(found, word);
    return { text: found, at: match.index, word, stems };
  });
}

/** The stems of a text's words, without stop words, in order and with repetitions. */
export function contentWords(text: string): string[] {
  return tokens(text).flatMap((token) => token.stems);
}

/** Lower case, without the accents of Latin letters; marks that belong to other scripts' letters stay. */
export function fold(text: string): string {
  const bare = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "");
  return bare.normalize("NFC").replace(/’/g, "'").replace(/ß/g, "ss");
}

const tokenPattern =
  /\p{Sc}|[\p{sc=Han}\p{sc=Katakana}ー]+|\p{sc=Hiragana}+|[\p{sc=Hangul}]+|[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Katakana}ー\p{sc=Hiragana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+(?:['’][\p{sc=Latin}]+)*/gv;
/** Runs of Hiragana give no word: they are endings and particles, which every sentence shares. */
const particles = /^\p{sc=Hiragana}/u;
const unspaced = /^[\p{sc=Han}\p{sc=Katakana}ー\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

function stemsOf(found: string, word: string): string[] {
  if (unspaced.test(found)) return pairs(word);
  return particles.test(found) || stopWords.has(word) || /^[a-z]?$/.test(word) ? [] : [stem(word)];
}

function pairs(word: string): string[] {
  const letters = [...word];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index] ?? ""}${letter}`);
}

/** "L'heure" is "heure", "shop's" is "shop", "I'm" is "im"; "ö" and "oe" are the same. */
function simplify(text: string): string {
  const word = fold(text)
    .replace(/^(?:[cdjlmnst]|qu)'(?=\p{L}{2})/u, "")
    .replace(/'s$/, "")
    .replace(/'/g, "");
  return word.replace(/([aou])e/g, "$1");
}

/** Suffixes of English that are few enough to leave other languages recognisable; both sides lose the same ones. */
function stem(word: string): string {
  let short = word.slice(0, 40);
  for (let before = ""; before !== short; ) {
    before = short;
    short = short.replace(/(?<=.{3})(?:ing|ed|[eiy]|(?<!s)s)$|(?<=.{4})(?:er|en)$/, "");
  }
  short = short.replace(/(.)\1$/, "$1");
  return synonyms.get(short) ?? short;
}

/** The few words that visitors and prompts use for the same thing; without them "When are you open?" misses "Opening hours". */
const synonyms = new Map<string, string>();
const stopWords = new Set<string>();
/** Days and times say when, not what: a question is not about them. */
export const timeWords = new Set<string>();

for (const group of [
  "open opening hours closed closing offnungszeiten geoffnet offen geschlossen horaires ouvert ouverture ferme horario abierto",
  "price cost pricing much fee charge € $ £ ¥ euro eur preis kosten kostet prix cout combien precio",
  "address where located location adresse wo direccion donde",
  "phone telephone telefon telefono",
  "email mail mailadresse courriel correo",
]) {
  const [first = "", ...others] = group.split(" ").map(stem);
  for (const other of others) synonyms.set(other, first);
}
for (const word of fold(
  `a about an and any are as at be been but by can could did do does for from get give good had has have he her here hi hello his
  how i if im id ill in into is it its just know let like long look looking me more my need no not of offer on or our out please say
  sell buy carry she should so some take takes tell than thanks thank that the their them then there these they this those to too up us very
  want was we well were what whats when which who whom why will with would yes you your yours dont im ive youre lets information
  aber als am an auch auf aus bei bin bis bitte da das dass dein dem den der des die dir du ein eine einem einen einer es fur gibt
  habe haben hat hatte ich ihr ihre im in ist ja kann kannst konnen man mehr mein mich mir mit mochte nach nein nicht noch nur oder
  schon sehr sein sich sie sind so uber um und uns unser vom von vor wann war warum was welche welcher welches wenn wer wie wieviel
  will wir wird zu zum zur au aux avec avez ce ces cette comment dans de des du elle en est et etes il ils j je la le les leur lui
  ma mais mes moi mon ne nos notre nous on ou par pas peut plus pour pouvez puis quand que quel quelle quelles quels qui sa sans
  ses si son sont sur ta te tes toi ton tu un une vos votre vous cuando como con cual del el ella es esta hay los las mi muy para
  pero por que se ser su sus tiene una uno y yo`,
).split(/\s+/)) {
  stopWords.add(simplify(word));
}
for (const word of contentWords(
  `today tomorrow tonight yesterday now day week weekend month year time morning afternoon evening noon am pm oclock monday tuesday
  wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april may june july august september
  october november december heute morgen jetzt tag woche wochenende montag dienstag mittwoch donnerstag freitag samstag sonntag
  sonnabend uhr aujourd'hui demain jour semaine lundi mardi mercredi jeudi vendredi samedi dimanche heure`,
)) {
  timeWords.add(word);
}
