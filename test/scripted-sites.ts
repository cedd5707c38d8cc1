import type { IncomingMessage, ServerResponse } from "node:http";
import { deflateRawSync, gzipSync } from "node:zlib";
import type { SourceErrorCode } from "@foyer/contract";
import { page, type SiteServer, sitemap } from "./site-server.ts";

/** A website and what a sync of it must find. */
export type ScriptedSite = {
  name: string;
  /** Sets the pages of the site. */
  build(site: SiteServer): void;
  settings?: object;
  /** the paths that are read, in order */
  read: string[];
  /** how many addresses are not read, by the beginning of the reason */
  unused?: Record<string, number>;
  error?: SourceErrorCode;
  /** part of the error's message */
  message?: string;
};

const html = { "content-type": "text/html; charset=utf-8" };
const paths = (count: number, prefix = "/article-") => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const three = ["/a", "/b", "/c"];

function addArticles(site: SiteServer, addresses: readonly string[], links: readonly string[] = []): void {
  for (const path of addresses) site.pages.set(path, page(`Page ${path}`, `Only ${path} says this.`, links));
}

/** A start page without links, and pages that only the sitemap lists. */
function onlySitemap(toSitemap: (base: string, list: string) => string | Buffer, type = "application/xml") {
  return (site: SiteServer) => {
    site.pages.set("/", page("Start", "Welcome."));
    addArticles(site, three);
    const list = sitemap(three.map((path) => site.url + path));
    site.pages.set("/sitemap.xml", { body: toSitemap(site.url, list), headers: { "content-type": type } });
  };
}

/** A start page that links to pages, which `change` changes. */
function linked(change: (site: SiteServer) => void, links: readonly string[] = three) {
  return (site: SiteServer) => {
    site.pages.set("/", page("Start", "Welcome.", links));
    addArticles(site, three);
    change(site);
  };
}

/** Answers every path of the site, including those with a query. */
function answerAll(site: SiteServer, answer: (url: URL, request: IncomingMessage, response: ServerResponse) => void) {
  site.pages.get = (path: string) => (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(path, site.url);
    if (/^\/(robots\.txt|sitemap\.xml)$/.test(url.pathname)) return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html; charset=utf-8");
    answer(url, request, response);
  };
}

/** Each page links to others with a session id of this request. */
function sessions(toLink: (path: string, id: string) => string) {
  return (site: SiteServer) => {
    let count = 0;
    answerAll(site, (url, _, response) => {
      const id = (count++).toString(16).padStart(16, "a1b2c3d4");
      const path = url.pathname.replace(/;.*/, "");
      const links = ["/", ...three].map((link) => toLink(link, id));
      response.end(page(`Page ${path}`, `Only ${path} says this.`, links));
    });
  };
}

const robots = (rules: string) => linked((site) => site.pages.set("/robots.txt", rules));

export const scriptedSites: ScriptedSite[] = [
  { name: "plain links", build: linked(() => {}), read: ["/", ...three] },
  {
    name: "a sitemap after an empty line and a warning",
    build: onlySitemap((_, list) => `\n\nWarning: deprecated in /app.php on line 3\n${list}`),
    read: ["/", ...three],
  },
  {
    name: "a sitemap with a bare ampersand and an HTML entity",
    build: onlySitemap((base, list) =>
      list.replace("</urlset>", `<url><loc>${base}/c</loc><x>A&nbsp;B & C</x></url></urlset>`),
    ),
    read: ["/", ...three],
  },
  {
    name: "a sitemap that is cut off",
    build: onlySitemap((_, list) => list.slice(0, -23)),
    read: ["/", "/a", "/b"],
    error: "SITEMAP_FAILED",
    message: "ends before it is complete",
  },
  {
    name: "a sitemap in UTF-16",
    build: onlySitemap((_, list) => Buffer.from(`\ufeff${list}`, "utf16le")),
    read: ["/", ...three],
  },
  { name: "a gzipped sitemap", build: onlySitemap((_, list) => gzipSync(list)), read: ["/", ...three] },
  {
    name: "an index of indexes of sitemaps",
    build(site) {
      const index = (url: string) => `<sitemapindex><sitemap><loc>${site.url}${url}</loc></sitemap></sitemapindex>`;
      onlySitemap(() => index("/middle.xml"))(site);
      site.pages.set("/middle.xml", index("/list.xml.gz"));
      const body = gzipSync(sitemap(three.map((path) => site.url + path)));
      site.pages.set("/list.xml.gz", { body, headers: { "content-type": "application/gzip" } });
    },
    read: ["/", ...three],
  },
  {
    name: "an RSS feed as the sitemap",
    build: onlySitemap(
      (base) =>
        `<rss version="2.0"><channel><link>${base}</link>${three.map((path) => `<item><link>${base}${path}</link></item>`).join("")}</channel></rss>`,
    ),
    read: ["/", ...three],
  },
  {
    name: "an Atom feed named in robots.txt",
    build(site) {
      onlySitemap(() => "")(site);
      site.pages.set("/robots.txt", `Sitemap: ${site.url}/feed`);
      const entries = three.map((path) => `<entry><link href="${site.url}${path}"/></entry>`).join("");
      site.pages.set("/feed", `<feed xmlns="http://www.w3.org/2005/Atom">${entries}</feed>`);
    },
    read: ["/", ...three],
  },
  {
    name: "a sitemap as a list of lines with Windows line ends",
    build: onlySitemap((base) => three.map((path) => base + path).join("\r\n"), "text/plain"),
    read: ["/", ...three],
  },
  {
    name: "a sitemap of another host",
    build: onlySitemap(() => sitemap(["https://other.example/a", "https://other.example/b"])),
    read: ["/"],
    error: "SITEMAP_FAILED",
    message: "lists 2 pages on other.example",
  },
  {
    name: "a named sitemap that responds with an error page",
    build: linked((site) => site.pages.set("/robots.txt", `Sitemap: ${site.url}/gone.xml`)),
    read: ["/", ...three],
    error: "SITEMAP_FAILED",
    message: "HTTP 404",
  },
  {
    name: "429 with Retry-After",
    build: linked((site) => {
      let count = 0;
      const article = site.pages.get("/b") as string;
      site.pages.set("/b", (_: IncomingMessage, response: ServerResponse) => {
        if (count++ === 0) response.writeHead(429, { "retry-after": "1" }).end();
        else response.writeHead(200, html).end(article);
      });
    }),
    read: ["/", ...three],
  },
  {
    name: "503 with a date in Retry-After",
    build: linked((site) => {
      let count = 0;
      const article = site.pages.get("/b") as string;
      site.pages.set("/b", (_: IncomingMessage, response: ServerResponse) => {
        const soon = new Date(Date.now() + 1_000).toUTCString();
        if (count++ === 0) response.writeHead(503, { "retry-after": soon }).end();
        else response.writeHead(200, html).end(article);
      });
    }),
    read: ["/", ...three],
  },
  {
    name: "429 on robots.txt at first",
    build: linked((site) => {
      let count = 0;
      site.pages.set("/robots.txt", (_: IncomingMessage, response: ServerResponse) => {
        if (count++ === 0) response.writeHead(429, { "retry-after": "1" }).end();
        else response.writeHead(200).end("User-agent: *\nDisallow: /b");
      });
    }),
    read: ["/", "/a", "/c"],
    unused: { "robots.txt": 1 },
  },
  {
    name: "session ids in the query",
    build: sessions((path, id) => `${path}?PHPSESSID=${id}`),
    read: ["/", ...three],
  },
  {
    name: "session ids in the path",
    build: sessions((path, id) => `${path};jsessionid=${id}?lang=en`),
    read: ["/", ...three.map((path) => `${path}?lang=en`)],
    unused: { "The page has the same content": 1 },
  },
  {
    name: "session ids and tracking parameters beside others",
    build: sessions((path, id) => `${path}?view=1&sid=${id}&utm_source=x`),
    read: ["/", ...three.map((path) => `${path}?view=1`)],
    unused: { "The page has the same content": 1 },
  },
  {
    name: "relative links that repeat a segment without end",
    build(site) {
      answerAll(site, (url, _, response) => {
        if (url.pathname === "/") return void response.end(page("Start", "Welcome.", ["about/", "a"]));
        if (url.pathname === "/a") return void response.end(page("A", "The article."));
        response.end(page("About", "About us.", ["about/"]));
      });
    },
    read: ["/", "/a", "/about/"],
    unused: { "The page has the same content": 1 },
  },
  {
    name: "a calendar without end",
    build(site) {
      answerAll(site, (url, _, response) => {
        const month = Number(url.searchParams.get("m") ?? 0);
        if (url.pathname === "/") return void response.end(page("Start", "Welcome.", ["/calendar?m=1", "/a"]));
        if (url.pathname === "/a") return void response.end(page("A", "The article."));
        response.end(page(`Month ${month}`, `No events in ${month}.`, [`/calendar?m=${month + 1}`]));
      });
    },
    read: ["/", "/a", ...Array.from({ length: 102 }, (_, index) => `/calendar?m=${index + 1}`)],
    unused: { "More than 100 pages differ": 1 },
  },
  {
    name: "pagination that continues after its last page",
    build(site) {
      answerAll(site, (url, _, response) => {
        const number = Number(url.searchParams.get("page") ?? 0);
        if (url.pathname === "/") return void response.end(page("Start", "Welcome.", ["/list?page=1"]));
        if (url.pathname !== "/list") return void response.end(page(url.pathname, `Only ${url.pathname} says this.`));
        const items = number <= 3 ? [`/item-${number}`] : [];
        response.end(
          page("List", number <= 3 ? `Item ${number}` : "No items.", [...items, `/list?page=${number + 1}`]),
        );
      });
    },
    read: ["/", "/item-1", "/item-2", "/item-3", ...[1, 2, 3, 4].map((number) => `/list?page=${number}`)],
    unused: { "More than 100 pages differ": 1, "The page has the same content": 99 },
  },
  {
    name: "a cookie wall that redirects to itself",
    build(site) {
      answerAll(site, (url, request, response) => {
        if (request.headers.cookie !== "seen=1") {
          return void response.writeHead(302, { location: url.pathname, "set-cookie": "seen=1; Path=/" }).end();
        }
        response.end(page(url.pathname, `Only ${url.pathname} says this.`, three));
      });
    },
    read: ["/", ...three],
  },
  {
    name: "links and sitemap in other spellings of the address",
    build(site) {
      const { port } = new URL(site.url);
      site.pages.set("/", page("Start", "Welcome.", [`HTTP://127.0.0.1:${port}/a#top`, `//127.0.0.1:${port}/b`]));
      site.pages.set("/sitemap.xml", sitemap([`https://127.0.0.1:${port}/c`]));
      addArticles(site, three);
    },
    read: ["/", ...three],
  },
  {
    name: "contents whose encoding is not what the header says",
    build: linked((site) => {
      const bodies = three.map((path) => Buffer.from(site.pages.get(path) as string));
      const encodings = ["gzip", "utf-8", "deflate"];
      for (const [index, path] of three.entries()) {
        const plain = bodies[index] ?? Buffer.alloc(0);
        const body = encodings[index] === "deflate" ? deflateRawSync(plain) : plain;
        site.pages.set(path, { body, headers: { ...html, "content-encoding": encodings[index] ?? "" } });
      }
    }),
    read: ["/", ...three],
  },
  {
    name: "a start page that only refreshes to another",
    build: linked((site) => {
      site.pages.set("/", '<html><head><meta http-equiv="Refresh" content="0; URL=\'/home\'"></head></html>');
      site.pages.set("/home", page("Home", "Welcome.", three));
    }),
    read: [...three, "/home"],
    unused: { "The page contains no text": 1 },
  },
  {
    name: "a frameset",
    build: linked((site) => {
      site.pages.set("/", "<html><head><title>Shop</title></head><frameset><frame src='/home'></frameset></html>");
      site.pages.set("/home", page("Home", "Welcome.", three));
    }),
    read: [...three, "/home"],
    unused: { "The page contains no text": 1 },
  },
  {
    name: "a chain of redirects",
    build: linked(
      (site) => {
        for (const [from, to] of [
          ["/old", "/older"],
          ["/older", "/oldest"],
          ["/oldest", "/target"],
        ] as const) {
          site.pages.set(from, { status: 301, headers: { location: to } });
        }
        addArticles(site, ["/target"]);
      },
      ["/old"],
    ),
    read: ["/", "/target"],
    unused: { "The page redirects to": 1 },
  },
  {
    name: "a redirect loop and a redirect to another site",
    build: linked((site) => {
      site.pages.set("/a", { status: 302, headers: { location: "/b" } });
      site.pages.set("/b", { status: 302, headers: { location: "/a" } });
      site.pages.set("/c", { status: 302, headers: { location: "https://other.example/" } });
    }),
    read: ["/"],
    unused: { "another page redirects more than 5 times": 2, "It redirects to another site": 1 },
  },
  {
    name: "robots.txt with a byte order mark, comments and wildcards",
    build: robots("\ufeff# All\r\nUser-Agent: *\r\nDisallow: /*b$ # not this\r\nAllow: /\r\n"),
    read: ["/", "/a", "/c"],
    unused: { "robots.txt": 1 },
  },
  {
    name: "robots.txt with a group for this robot",
    build: robots("User-agent: *\nDisallow: /\n\nUser-agent: foyerbot\nDisallow: /c"),
    read: ["/", "/a", "/b"],
    unused: { "robots.txt": 1 },
  },
  {
    name: "robots.txt that is an HTML page",
    build: robots("<!doctype html><title>Home</title><p>Disallow: /"),
    read: ["/", ...three],
  },
  {
    name: "pages that declare each other as canonical",
    build: linked((site) => {
      const withCanonical = (path: string, target: string) =>
        site.pages.set(
          path,
          page(`Page ${path}`, `Only ${path} says this.`).replace(
            "</head>",
            `<link rel="canonical" href="${target}"></head>`,
          ),
        );
      withCanonical("/a", "/b");
      withCanonical("/b", "/a");
    }),
    read: ["/", "/b", "/c"],
    unused: { "The page declares as its canonical URL": 1 },
  },
  {
    name: "routes after a hash sign",
    build: linked(() => {}, ["#/about", "#!/prices"]),
    read: ["/"],
    error: "NEEDS_JAVASCRIPT",
    message: "upload the content as documents",
  },
  {
    name: "a page that JavaScript renders",
    build(site) {
      site.pages.set(
        "/",
        '<!doctype html><title>App</title><script src="/app.js"></script><body><noscript>Enable JavaScript.</noscript><div id="root"></div>',
      );
    },
    read: [],
    unused: { "The page is rendered by JavaScript": 1 },
    error: "NO_PAGES",
    message: "sitemap of prerendered pages",
  },
  {
    name: "a page that says Loading until JavaScript runs",
    build(site) {
      site.pages.set("/", "<!doctype html><title>App</title><script>run()</script><main>Loading…</main>");
      site.pages.set("/sitemap.xml", sitemap([`${site.url}/a`]));
      addArticles(site, ["/a"]);
    },
    read: ["/a"],
    unused: { "The page is rendered by JavaScript": 1 },
  },
  {
    name: "patterns for the query",
    build: linked(
      (site) => {
        for (const path of ["/list?sort=name", "/list?sort=price&dir=up", "/list?page=2"]) addArticles(site, [path]);
      },
      ["/list?sort=name", "/list?sort=price&dir=up", "/list?page=2"],
    ),
    settings: { exclude: ["/**?*sort=*"] },
    read: ["/", "/list?page=2"],
  },
  {
    name: "links relative to a base address",
    build(site) {
      const start = page("Start", "Welcome.", ["a", "./b", "../c"]);
      site.pages.set("/", start.replace("<head>", '<head><base href="/docs/">'));
      addArticles(site, ["/docs/a", "/docs/b", "/c"]);
    },
    read: ["/", "/c", "/docs/a", "/docs/b"],
  },
  {
    name: "a page whose charset is not what the header says",
    build: linked((site) => {
      const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(page("Größe", "Füße ☂"))]);
      site.pages.set("/a", { body, headers: { "content-type": "text/html; charset=iso-8859-1" } });
    }),
    read: ["/", ...three],
  },
  {
    name: "text before the doctype and a zero-width space",
    build: linked((site) => {
      for (const path of ["/", "/a"]) {
        site.pages.set(path, {
          body: `Notice: undefined variable on line 3\n\u200b${site.pages.get(path)}`,
          headers: html,
        });
      }
    }),
    read: ["/", ...three],
  },
  {
    name: "missing pages that respond with HTTP 200",
    build(site) {
      answerAll(site, (url, _, response) => {
        const known = ["/", "/a"].includes(url.pathname);
        if (known) return void response.end(page(url.pathname, `Only ${url.pathname} says this.`, ["/a", "/x", "/y"]));
        response.end(page("Page not found", `Nothing at ${url.pathname}.`, ["/"]));
      });
    },
    read: ["/", "/a"],
    unused: { "The site shows this page for addresses that do not exist": 2 },
  },
  {
    name: "pages that require a password",
    build: linked((site) => {
      site.pages.set("/a", { status: 401, headers: { "www-authenticate": "Basic" } });
      site.pages.set("/b", { status: 403 });
      site.pages.set("/c", { status: 302, headers: { location: "/login?next=/c" } });
      site.pages.set("/login?next=/c", page("Sign in", 'Welcome back. <input type="password" name="p">'));
    }),
    read: ["/"],
    unused: {
      "The page is not public (HTTP 401)": 1,
      "The page is not public (HTTP 403)": 1,
      "The page redirects to": 1,
      "The page is a form to sign in": 1,
    },
  },
  {
    name: "slow pages",
    build: linked((site) => {
      const article = site.pages.get("/b") as string;
      site.pages.set("/b", (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, html);
        response.write(article.slice(0, 40));
        setTimeout(() => response.end(article.slice(40)), 1_500);
      });
    }),
    read: ["/", ...three],
  },
  {
    name: "noindex, nofollow and a missing page",
    build: linked((site) => {
      const withRobots = (rule: string) => `<meta name="robots" content="${rule}"></head>`;
      site.pages.set("/a", page("A", "Hidden.", ["/d"]).replace("</head>", withRobots("noindex")));
      site.pages.set("/b", page("B", "No links.", ["/e"]).replace("</head>", withRobots("nofollow")));
      site.pages.delete("/c");
      addArticles(site, ["/d", "/e"]);
    }),
    read: ["/", "/b", "/d"],
    unused: { "The page has a noindex rule": 1, "The page does not exist": 1 },
  },
  {
    name: "files, mail addresses and scripts as links",
    build: linked(
      (site) => {
        site.pages.set("/report", { body: "GIF89a", headers: { "content-type": "image/gif" } });
      },
      ["mailto:a@example.com", "tel:+123", "javascript:void(0)", "/logo.PNG", "/data.zip?x=1", "/report", "/a"],
    ),
    read: ["/", "/a"],
    unused: { "The address leads to a file of type image/gif": 1 },
  },
  {
    name: "many pages in a deep chain",
    build(site) {
      const chain = paths(60);
      for (const [index, path] of chain.entries()) addArticles(site, [path], [chain[index + 1] ?? "/"]);
      site.pages.set("/", page("Start", "Welcome.", ["/article-0"]));
    },
    read: ["/", ...paths(60)],
  },
];
