/** A page of the shop, in the color scheme of its visitor, with the widget of an agent. */
export const shopPage = (agentId: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Harbour Bikes</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; font: 17px/1.55 system-ui, sans-serif; color: light-dark(#1d2a30, #dfe8ea); background: light-dark(#f6f4ef, #12191d); }
  header { display: flex; gap: 32px; align-items: center; padding: 22px 56px; background: light-dark(#fff, #192329); }
  header strong { margin-right: 32px; font-size: 20px; letter-spacing: -0.01em; }
  main { max-width: 720px; padding: 64px 56px; }
  h1 { margin: 0 0 16px; font-size: 50px; line-height: 1.08; letter-spacing: -0.03em; }
  main > p { max-width: 34em; margin: 0 0 36px; }
  ul { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; margin: 0; padding: 0; list-style: none; }
  li { padding: 20px 22px; border-radius: 12px; background: light-dark(#fff, #192329); }
  li svg { display: block; width: 132px; margin: 0 auto 14px; fill: none; stroke: light-dark(#17696a, #63c2bd); stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
  li b { display: block; }
</style>
</head>
<body>
<header><strong>Harbour Bikes</strong><span>Bikes</span><span>Workshop</span><span>Visit us</span></header>
<main>
  <h1>Bikes for every day, opposite the ferry</h1>
  <p>City bikes, touring bikes and a workshop that has your bike ready the next day.</p>
  <ul>
    ${bike("City One", "600 euros")}
    ${bike("Tourer 28", "1,150 euros")}
  </ul>
</main>
<script src="/widget.js" data-agent-id="${agentId}" data-open async></script>
</body>
</html>`;

const bike = (name: string, price: string) =>
  `<li><svg viewBox="0 0 120 70"><circle cx="24" cy="46" r="20"/><circle cx="96" cy="46" r="20"/>` +
  `<path d="M24 46 44 18h36L56 46H24m32 0L40 12m-8 0h14m34 6 16 28M78 10h12"/></svg><b>${name}</b>${price}</li>`;
