/** Pages of other people on which the widget has to stand out, by name. */
const styles: Record<string, { css: string; lang?: string; text?: string; body?: string }> = {
  white: { css: "body { background: #fff; color: #111; }" },
  dark: { css: ":root { color-scheme: dark; } body { background: #000; color: #eee; }" },
  photo: {
    css: `body { color: #fff; min-height: 100vh; background:
      radial-gradient(circle at 75% 70%, #f7d9a0 0 12%, transparent 40%),
      repeating-linear-gradient(115deg, #2d5a3d 0 9px, #6b8f52 9px 21px, #1d3a2a 21px 30px, #b9a06a 30px 34px), #23402f; }
      main { text-shadow: 0 1px 3px #000; }`,
  },
  colored: { css: "body { background: #f59e0b; color: #1c1917; }" },
  dense: {
    css: `body { background: #fff; color: #222; font: 11px/13px Arial; } main { max-width: none; padding: 4px; }
      table { border-collapse: collapse; width: 100%; } td { border: 1px solid #999; padding: 1px 4px; }`,
    body: `<table>${`<tr>${"<td>City One</td><td>600.00</td><td>12</td><td>In stock</td>".repeat(4)}</tr>`.repeat(70)}</table>`,
  },
  large: { css: "html { font-size: 32px; } body { background: #fafaf9; color: #1c1917; font-size: 2rem; }" },
  arabic: { css: "body { background: #fff; color: #111; }", lang: "ar", text: "دراجات لكل يوم، مقابل العبّارة" },
  japanese: { css: "body { background: #f4f1ea; color: #222; }", lang: "ja", text: "毎日乗れる自転車を、港のそばで" },
  narrow: { css: "body { background: #fff; color: #111; }" },
  print: { css: "body { background: #fff; color: #111; }" },
};

export const hostPageNames = Object.keys(styles);

/** The page with this name and the widget of an agent on it. `attributes` are those of the script tag. */
export function hostPage(name: string, agentId: string, attributes = ""): string {
  const { css, lang = "en", text = "Bikes for every day, opposite the ferry", body } = styles[name] ?? { css: "" };
  const paragraph = `<p>City bikes, touring bikes and a workshop that has your bike ready the next day. ${text}.</p>`;
  return `<!doctype html>
<html lang="${lang}" dir="${lang === "ar" ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Harbour Bikes</title>
<style>
  body { margin: 0; font: 17px/1.55 Georgia, serif; }
  main { max-width: 1200px; margin: 0 auto; padding: 48px 24px; }
  ${css}
</style>
</head>
<body>
<main><h1>${text}</h1>${body ?? paragraph.repeat(14)}</main>
<script src="/widget.js" data-agent-id="${agentId}" ${attributes} async></script>
</body>
</html>`;
}
