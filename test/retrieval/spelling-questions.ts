/** A question in another spelling than that of the only passage that answers it. */
export type SpellingQuestion = { kind: string; language: string; question: string; passage: string };

const english = (kind: string, pairs: ReadonlyArray<readonly [string, string]>, sentence: (word: string) => string) =>
  pairs.flatMap(([one, other]) => [
    { kind, language: "en", question: one, passage: sentence(other) },
    { kind: `${kind}, reversed`, language: "en", question: other, passage: sentence(one) },
  ]);

const joined = [
  ["wifi", "Wi-Fi"],
  ["email", "e-mail"],
  ["tshirt", "T-shirt"],
  ["preorder", "pre-order"],
  ["checkin", "check-in"],
  ["covid19", "COVID-19"],
  ["carpark", "car park"],
  ["ecommerce", "e-commerce"],
  ["coworking", "co-working"],
  ["bluray", "Blu-ray"],
  ["usbc", "USB-C"],
  ["xray", "X-ray"],
  ["tmobile", "T-Mobile"],
  ["cocacola", "Coca-Cola"],
  ["icecream", "ice cream"],
  ["babysitter", "baby sitter"],
  ["bookshop", "book shop"],
  ["hairdryer", "hair dryer"],
  ["att", "AT&T"],
  ["acdc", "AC/DC"],
  ["obrien", "O’Brien"],
  ["nodejs", "Node.js"],
  ["24h", "24 h"],
  ["iphone15", "iPhone 15"],
  ["windows11", "Windows 11"],
  ["5g", "5-G"],
  ["usa", "U.S.A."],
  ["rnd", "R.n.D."],
] as const;

const symbols = [
  ["C#", "Courses in C# start in May.", "Courses in C++ start in June."],
  ["C++", "Courses in C++ start in June.", "Courses in C# start in May."],
  ["F#", "Evening classes in F# cost 90 euros.", "Evening classes in F cost 70 euros."],
  [".NET", "Developers of .NET meet on Mondays.", "Net prices are shown on Mondays."],
  ["Disney+", "The lounge shows Disney+ every night.", "The lounge shows Disney posters."],
] as const;

/** Compounds with one of their parts, and the sentence around the compound. */
const compounds: Record<
  string,
  { sentence: (word: string) => string; pairs: ReadonlyArray<readonly [string, string]> }
> = {
  de: {
    sentence: (word) => `Bitte wenden Sie sich wegen ${word} an die Rezeption, die Ihnen gerne hilft.`,
    pairs: [
      ["Versicherung", "Haftpflichtversicherung"],
      ["Unfall", "Fahrradunfällen"],
      ["Reparatur", "Bremsenreparatur"],
      ["Kosten", "Versandkosten"],
      ["Schlüssel", "Zimmerschlüssel"],
      ["Fahrrad", "Fahrradverleih"],
      ["Gutschein", "Geschenkgutschein"],
      ["Garantie", "Garantieverlängerung"],
      ["Kündigung", "Vertragskündigung"],
      ["Parkplatz", "Busparkplatz"],
      ["Schwimmbad", "Hallenschwimmbad"],
      ["Rechnung", "Monatsrechnungen"],
    ],
  },
  nl: {
    sentence: (word) => `Neem voor ${word} contact op met de balie, daar helpen we u graag verder.`,
    pairs: [
      ["verzekering", "reisverzekering"],
      ["kosten", "verzendkosten"],
      ["reparatie", "fietsreparatie"],
      ["garantie", "garantievoorwaarden"],
      ["sleutel", "kamersleutel"],
      ["nummer", "telefoonnummer"],
      ["fiets", "fietsverhuur"],
      ["abonnement", "jaarabonnement"],
    ],
  },
  sv: {
    sentence: (word) => `Kontakta receptionen om ${word}, så hjälper vi dig gärna vidare.`,
    pairs: [
      ["försäkring", "reseförsäkring"],
      ["kostnad", "fraktkostnad"],
      ["nyckel", "rumsnyckel"],
      ["reparation", "cykelreparation"],
      ["garanti", "garantitiden"],
      ["kort", "presentkort"],
      ["cykel", "cykeluthyrning"],
      ["avgift", "parkeringsavgift"],
    ],
  },
  fi: {
    sentence: (word) => `Vastaanotto auttaa mielellään, jos ${word} on sinulle tärkeä asia tänään.`,
    pairs: [
      ["korjaus", "polkupyöränkorjaus"],
      ["vakuutus", "matkavakuutus"],
      ["avain", "huoneavain"],
      ["maksu", "pysäköintimaksu"],
      ["lippu", "lentolippu"],
      ["huolto", "autohuolto"],
      ["kortti", "lahjakortti"],
      ["palvelu", "asiakaspalvelu"],
    ],
  },
  hu: {
    sentence: (word) => `A recepción szívesen segítünk önnek, ha kérdése van erről: ${word}.`,
    pairs: [
      ["javítás", "kerékpárjavítás"],
      ["biztosítás", "utasbiztosítás"],
      ["költség", "szállításiköltség"],
      ["szolgálat", "ügyfélszolgálat"],
      ["kulcs", "szobakulcs"],
      ["jegy", "repülőjegy"],
      ["garancia", "garanciaidő"],
      ["bérlet", "parkolóbérlet"],
    ],
  },
};

/** Compounds that visitors ask for, and passages that have their parts as separate words. */
const splitCompounds = [
  ["de", "Fahrradversicherung", "Die Versicherung für Ihr Fahrrad gilt auch im Ausland."],
  ["de", "Zimmerreinigung", "Die Reinigung der Zimmer erfolgt jeden Morgen."],
  ["de", "Rechnungsadresse", "Nennen Sie uns die Adresse für die Rechnung."],
  ["nl", "fietsenstalling", "De stalling voor fietsen is achter het gebouw."],
  ["nl", "kamerprijs", "De prijs van een kamer hangt af van het seizoen."],
  ["sv", "hotellfrukost", "Hotellets frukost serveras från klockan sju."],
  ["fi", "huonepalvelu", "Palvelu tuo huoneeseen ruokaa iltaisin."],
  ["hu", "szobaár", "A szoba ára tartalmazza a reggelit."],
] as const;

const letters = [
  ["de", "Muenchen", "Die Filiale in München öffnet um zehn."],
  ["de", "Düsseldorf", "Die Filiale in Duesseldorf öffnet um elf."],
  ["de", "Kölner", "Der Koelner Laden schließt um acht."],
  ["de", "Grössentabelle", "Die Größentabelle hängt in jeder Umkleide."],
  ["sv", "Malmoe", "Butiken i Malmö har öppet på söndagar."],
  ["fa", "كتاب", "کتاب کودک در طبقه دوم است."],
  ["fa", "دوچرخه‌ي", "دوچرخه‌ی شهری امروز تخفیف دارد."],
  ["fa", "۱۲۳۴", "شماره سفارش 1234 آماده تحویل است."],
  ["ur", "كرايہ", "کرایہ ہر ماہ کی پہلی تاریخ کو ادا کریں۔"],
  ["ar", "٤٥٦٧", "رقم الطلب 4567 جاهز للاستلام."],
  ["ar", "السعر", "السِّعْرُ يشمل التوصيل إلى المنزل."],
  ["he", "פתיחה", "שעות הפתיחה הן מתשע בבוקר."],
  ["he", "המפתח", "מפתח החדר נמצא בקבלה."],
  ["he", "בחניה", "החניה נמצאת מאחורי הבניין."],
  ["ru", "ёлка", "Елка стоит в холле до января."],
  ["el", "ωραριο", "Το ωράριο λειτουργίας αλλάζει το καλοκαίρι."],
  ["el", "ΔΡΟΜΟΣ", "Ο δρόμος προς την παραλία είναι κλειστός."],
  ["tr", "istanbul", "İSTANBUL şubesi pazar günleri kapalı."],
  ["fr", "hotel", "L’hôtel se trouve derrière la gare."],
  ["en", "ＡＢＣ１２３", "Article abc123 is back in stock."],
  ["en", "cooperate", "Our partners co\u00adoperate with local farms."],
] as const;

/** Every question has a number of its own, so that one passage alone answers it. */
function numbers(): SpellingQuestion[] {
  return Array.from({ length: 100 }, (_, index) => {
    const digits = String(2_317 + index * 191);
    const thousands = digits.slice(0, -3);
    const rest = digits.slice(-3);
    const ways = [
      `${thousands},${rest}`,
      `${thousands}.${rest},00`,
      `${thousands} ${rest}`,
      `${thousands}’${rest}`,
      `${thousands}\u202f${rest}`,
    ];
    const way = ways[index % ways.length] ?? "";
    return index % 2 === 0
      ? { kind: "number with separators", language: "en", question: digits, passage: `The suite costs ${way} euros.` }
      : {
          kind: "number without separators",
          language: "en",
          question: way,
          passage: `The boat costs ${digits} euros.`,
        };
  });
}

function codes(): SpellingQuestion[] {
  return Array.from({ length: 72 }, (_, index) => {
    const word = ["PPR", "NOR", "XK", "BZT"][index % 4] ?? "";
    const number = String(4_087 + index * 53);
    const ways = ["-", "", " ", "/", "_", "–"].map((joiner) => word + joiner + number);
    const question = ways[index % 6] ?? "";
    const other = ways[(index + 1 + (Math.floor(index / 6) % 5)) % 6] ?? "";
    return { kind: "code", language: "en", question, passage: `Part ${other} fits the pump of last year.` };
  });
}

function phones(): SpellingQuestion[] {
  return Array.from({ length: 36 }, (_, index) => {
    const local = String(1_234_567 + index * 131_147);
    const [head, tail] = [local.slice(0, 3), local.slice(3)];
    const ways = [
      `+49 30 ${head}-${tail}`,
      `030${local}`,
      `0049 (0)30 ${local}`,
      `(030) ${head} ${tail}`,
      `+4930${local}`,
      `030/${head}.${tail}`,
    ];
    const passage = `For help, call ${ways[(index + 1 + (Math.floor(index / 6) % 5)) % 6]} on weekdays.`;
    return { kind: "phone number", language: "en", question: ways[index % 6] ?? "", passage };
  });
}

const others = [
  ["version", "2.10", "Version v2.10 adds dark mode."],
  ["version", "v3.4.1", "Release 3.4.1 fixes the export."],
  ["address", "192.168.7.19", "The printer has the address 192.168.7.19."],
  ["date", "2026-03-07", "The fair opens on 07.03.2026."],
  ["date", "7/3/2026", "The market opens on 2026-03-07."],
  ["account", "DE89370400440532013000", "Transfer it to DE89 3704 0044 0532 0130 00."],
  ["unit", "12 kg", "The bag weighs 12kg."],
  ["unit", "30m²", "The flat has 30 m2."],
] as const;

/** Kinds of which search finds every question. `und` is the language of texts that are too short to detect it. */
const always: Record<string, ReadonlyArray<readonly [language: string, question: string, passage: string]>> = {
  "script of Chinese": [
    ["zh", "退貨", "退货政策：三十天内可以退款。"],
    ["zh", "保固維修", "保固维修请来电话。"],
    ["zh", "颱風", "台风天停止营业。"],
    ["zh", "脚踏车", "腳踏車在二樓。"],
    ["zh", "头发护理", "頭髮護理每次五百元。"],
  ],
  "number beside writing without spaces": [
    ["ja", "1200円", "サーバーの料金は月額１，２００円です。"],
    ["ja", "iphone15", "在庫はiPhone 15のみです。"],
    ["ja", "12,900", "自転車は12900円から。"],
    ["ko", "3000원", "배송비는 3,000원이며 환불은 가능합니다."],
    ["zh", "2599元", "價格為２，５９９元起。"],
    ["th", "1299", "ราคาจักรยาน ๑,๒๙๙ บาท"],
    ["th", "๔๕๐๐", "ค่าเช่า4,500บาทต่อเดือน"],
  ],
  "digits of another script": [
    ["ar", "1450", "السعر ١٬٤٥٠ ريال"],
    ["fa", "۲۷۵۰", "قیمت آن 2,750 تومان است"],
    ["bn", "3620", "দাম ৩,৬২০ টাকা"],
    ["my", "8140", "ဈေးနှုန်း ၈,၁၄၀ ကျပ်"],
  ],
  "script of Serbian and Croatian": [
    ["ru", "isporuka", "Испорука у граду траје два дана."],
    ["ru", "Beograd", "Радња је у Београду."],
    ["ru", "njega", "Њега бицикла је бесплатна."],
    ["ru", "placanje", "Плаћање картицом је могуће."],
    ["cs", "кључеви", "Ključevi su na pultu."],
    ["cs", "Djakovo", "Dostava u Đakovo traje dva dana."],
    ["cs", "Rođendan", "Rodjendan slavimo u vrtu."],
  ],
  identifier: [
    ["en", "retry count", "Set maxRetryCount before the first call."],
    ["en", "maxRetryCount", "The max retry count is five by default."],
    ["en", "HTTP request", "An XMLHttpRequest is sent for each upload."],
    ["en", "session_token", "The sessionToken ends with the browser."],
  ],
  "irregular plural": [
    ["en", "mouse", "We sell three wireless mice."],
    ["en", "teeth", "Every tooth of the saw is steel."],
    ["en", "person", "Tables are for six people."],
    ["fr", "animal", "Les animaux sont les bienvenus."],
    ["fr", "yeux", "Un examen de l'œil est gratuit."],
    ["it", "uovo", "Le uova sono del contadino."],
    ["nl", "stad", "Wij leveren in alle steden."],
    ["ru", "ребенок", "Дети до шести лет бесплатно."],
    ["sv", "bok", "Alla böcker lånas ut."],
    ["da", "barn", "Børn under seks er gratis."],
  ],
  fraction: [
    ["en", "42.5", "Size 42½ is sold out."],
    ["en", "38½", "Size 38.5 arrives in May."],
    ["en", "17.25", "The rod is 17 1/4 inches long."],
  ],
  "short part of a compound": [
    ["de", "Rad", "Bitte wenden Sie sich an den Verleih der Kinderfahrräder, der Ihnen hilft."],
    ["de", "Hut", "Bitte fragen Sie an der Theke nach Sonnenhüten, die wir verleihen."],
  ],
  acronym: [["he", "מעמ", "המחיר כולל מע״מ"]],
  typo: [
    ...["pucnture", "punkture", "puncure", "ppuncture", "ouncture", "uncture"].map(
      (word) => ["en", word, "A puncture repair costs 15 euros and takes an hour."] as const,
    ),
    ...["wrranty", "waranty", "warrenty", "awrranty"].map(
      (word) => ["en", word, "The warranty covers two years on frames."] as const,
    ),
    ...["sadle", "saddel", "asddle"].map((word) => ["en", word, "The saddle has no springs."] as const),
    ...["batery", "bttery", "invoce", "brke"].map((word) => ["und", word, "Battery, invoice, brake"] as const),
    ["de", "Gutchsein", "Ein Gutschein ist drei Jahre lang gültig."],
    ["ru", "дсотавка", "Доставка занимает три дня."],
    ["el", "επσιτροφή", "Η επιστροφή είναι δωρεάν."],
  ],
};

export const kindsAlwaysFound = Object.keys(always);

/** All questions, the same in every run. */
export function spellingQuestions(): SpellingQuestion[] {
  return [
    ...english("joined word", joined, (word) => `Ask the staff about ${word} when you arrive.`),
    ...symbols.map(([question, passage]) => ({ kind: "symbol", language: "en", question, passage })),
    ...Object.entries(compounds).flatMap(([language, { sentence, pairs }]) =>
      pairs.map(([question, word]) => ({ kind: "part of a compound", language, question, passage: sentence(word) })),
    ),
    ...splitCompounds.map(([language, question, passage]) => ({ kind: "compound", language, question, passage })),
    ...letters.map(([language, question, passage]) => ({ kind: "letters", language, question, passage })),
    ...numbers(),
    ...codes(),
    ...phones(),
    ...others.map(([kind, question, passage]) => ({ kind, language: "en", question, passage })),
    ...Object.entries(always).flatMap(([kind, questions]) =>
      questions.map(([language, question, passage]) => ({ kind, language, question, passage })),
    ),
  ];
}

/** Passages that answer none of the questions but share words, digits and beginnings with the passages that do. */
export function otherPassages(count: number): string[] {
  const things = ["room", "bike", "kayak", "tent", "locker", "sauna", "terrace", "garden", "kitchen", "workshop"];
  const facts = [
    "is quiet after ten",
    "is cleaned at noon",
    "needs a key from the desk",
    "is closed in winter",
    "seats four people",
  ];
  const wrong = symbols.map(([, , passage]) => passage);
  return Array.from({ length: count }, (_, index) => {
    const thing = things[index % things.length];
    const fact = facts[Math.floor(index / things.length) % facts.length];
    return wrong[index] ?? `The ${thing} with the number ${300 + index} ${fact}, and costs ${10 + (index % 90)} euros.`;
  });
}
