import { foldMarks } from "./stemmers.ts";

/**
 * Forms of a noun that its language's stemmer does not know for the same word. One group of forms per line or between
 * two bars, in lower case and with accents.
 */
const groups: Readonly<Record<string, string>> = {
  da: "barn børn|mand mænd|fod fødder|hånd hænder|bog bøger|tand tænder|nat nætter|gås gæs|øje øjne|ko køer|bror brødre|far fædre|mor mødre|datter døtre|and ænder|stang stænger|kraft kræfter|rod rødder|tå tæer|barnebarn børnebørn",
  de: "praktikum praktika|museum museen|visum visa|konto konten|thema themen|firma firmen|risiko risiken|lexikon lexika|globus globen|datum daten|zentrum zentren|album alben|virus viren|rhythmus rhythmen|material materialien|prinzip prinzipien|atlas atlanten|villa villen|pizza pizzen|mineral mineralien|stadium stadien|studium studien|kaktus kakteen",
  en: "man men|woman women|child children|person people|mouse mice|louse lice|goose geese|tooth teeth|foot feet|ox oxen|die dice|penny pence|knife knives|life lives|wife wives|shelf shelves|self selves|loaf loaves|leaf leaves|half halves|calf calves|thief thieves|wolf wolves|elf elves|scarf scarves|hoof hooves|wharf wharves|dwarf dwarves|sheaf sheaves|criterion criteria|phenomenon phenomena|datum data|medium media|curriculum curricula|bacterium bacteria|memorandum memoranda|stratum strata|ovum ova|addendum addenda|erratum errata|analysis analyses|axis axes|basis bases|crisis crises|diagnosis diagnoses|ellipsis ellipses|hypothesis hypotheses|oasis oases|parenthesis parentheses|synthesis syntheses|synopsis synopses|thesis theses|appendix appendices|index indices|matrix matrices|vertex vertices|vortex vortices|cactus cacti|focus foci|fungus fungi|nucleus nuclei|radius radii|stimulus stimuli|syllabus syllabi|alumnus alumni|locus loci|larva larvae|formula formulae|antenna antennae|vertebra vertebrae|alga algae|alumna alumnae|nebula nebulae|policeman policemen|policewoman policewomen|fireman firemen|postman postmen|salesman salesmen|saleswoman saleswomen|craftsman craftsmen|workman workmen|fisherman fishermen|businessman businessmen|businesswoman businesswomen|gentleman gentlemen|chairman chairmen|snowman snowmen|grandchild grandchildren|schoolchild schoolchildren|stepchild stepchildren|bookshelf bookshelves|penknife penknives|housewife housewives|midwife midwives|dormouse dormice|eyetooth eyeteeth|forefoot forefeet|passerby passersby|quiz quizzes|bureau bureaux|chateau chateaux|plateau plateaux|tableau tableaux",
  es: "régimen regímenes|carácter caracteres|espécimen especímenes|luz luces|pez peces|vez veces|cruz cruces|lápiz lápices|nariz narices|voz voces|raíz raíces|arroz arroces|maíz maíces|juez jueces",
  fr: "œil yeux|ciel cieux|travail travaux|vitrail vitraux|bail baux|corail coraux|émail émaux|monsieur messieurs|madame mesdames|mademoiselle mesdemoiselles|cheval chevaux|animal animaux|journal journaux|hôpital hôpitaux|canal canaux|métal métaux|local locaux|signal signaux|terminal terminaux|capital capitaux|tribunal tribunaux|bocal bocaux|mal maux|général généraux|cristal cristaux|minéral minéraux|végétal végétaux|total totaux|rival rivaux|idéal idéaux|oral oraux|arsenal arsenaux|quintal quintaux",
  it: "uomo uomini|uovo uova|dito dita|braccio braccia|ginocchio ginocchia|labbro labbra|osso ossa|paio paia|lenzuolo lenzuola|ciglio ciglia|migliaio migliaia|centinaio centinaia|dio dei|tempio templi|bue buoi|mano mani|ala ali|arma armi|moglie mogli|mille mila|amico amici|muro mura|riso risa|grido grida",
  nl: "kind kinderen|ei eieren|stad steden|schip schepen|lid leden|smid smeden|koe koeien|vlo vlooien|blad bladeren|been beenderen|rad raderen|lied liederen|rund runderen|lam lammeren|kalf kalveren|goed goederen|volk volkeren|museum musea|centrum centra|datum data|medium media|gezin gezinnen|mogelijkheid mogelijkheden|gelegenheid gelegenheden|bezienswaardigheid bezienswaardigheden|werkzaamheid werkzaamheden|overheid overheden|weg wegen|slot sloten|gebrek gebreken|dag dagen|glas glazen|gat gaten|bad baden|pad paden|spel spelen|brood broden|huis huizen|brief brieven|reis reizen|prijs prijzen|kaas kazen|vaas vazen|neef neven|duif duiven|druif druiven|schroef schroeven",
  no: "barn barna|mann menn|fot føtter|hånd hender|bok bøker|tann tenner|natt netter|gås gjess|øye øyne|ku kyr|bror brødre|far fedre|mor mødre|datter døtre|and ender|stang stenger|kraft krefter|rot røtter|tå tær|tre trær|kne knær|bonde bønder",
  pt: "pão pães|cão cães|mão mãos|irmão irmãos|capitão capitães|alemão alemães|avião aviões|leão leões|botão botões|cartão cartões|limão limões|coração corações|estação estações|refeição refeições|devolução devoluções|condição condições|informação informações|reclamação reclamações|animal animais|hospital hospitais|hotel hotéis|papel papéis|lençol lençóis|anel anéis|túnel túneis|móvel móveis|fóssil fósseis|funil funis|barril barris|aluguel aluguéis|fiel fiéis|jornal jornais|sinal sinais|canal canais|homem homens|viagem viagens|jardim jardins|som sons|bem bens|item itens",
  ru: "человек люди людей людям|ребенок дети детей детям|год лет|друг друзья друзей|брат братья братьев|сын сыновья сыновей|стул стулья стульев|лист листья листьев|дерево деревья деревьев|перо перья перьев|крыло крылья крыльев|ухо уши ушей|глаз глаза|мать матери матерей|дочь дочери дочерей|котенок котята котят|щенок щенки щенков|цыпленок цыплята цыплят|чудо чудеса|небо небеса|имя имена имен|время времена времен|пламя пламени|цветок цветы цветов|сосед соседи соседей|хозяин хозяева хозяев|господин господа господ|судно суда судов|яйцо яйца яиц|день дни дней|отец отцы отцов|окно окна окон|письмо письма писем|сестра сестры сестер|копейка копейки копеек|сутки суток",
  sv: "man män|fot fötter|bok böcker|hand händer|natt nätter|stad städer|tand tänder|gås gäss|mus möss|lus löss|öga ögon|öra öron|ko kor|bror bröder|far fäder|mor mödrar|dotter döttrar|son söner|and änder|stång stänger|kraft krafter|rot rötter|tå tår|land länder|strand stränder|rand ränder|bonde bönder|museum museer|bokstav bokstäver|not nötter|nöt nötter|ledamot ledamöter|verkstad verkstäder",
};

const formsByLanguage = new Map<string, Map<string, string[]>>();

/** The other forms of a word in the irregular plurals of the languages. */
export function listIrregularForms(word: string, languages: readonly string[]): string[] {
  return languages.flatMap((language) =>
    (formsOf(language).get(foldMarks(word)) ?? []).filter((form) => form !== word),
  );
}

function formsOf(language: string): Map<string, string[]> {
  const known = formsByLanguage.get(language);
  if (known) return known;
  const forms = new Map<string, string[]>();
  for (const group of (groups[language] ?? "").split("|")) {
    const words = group.split(" ");
    for (const word of words) forms.set(foldMarks(word), words);
  }
  formsByLanguage.set(language, forms);
  return forms;
}
