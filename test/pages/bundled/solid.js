import { Route, Router } from "@solidjs/router";
import { createComponent, render } from "solid-js/web";
import html from "solid-js/html";

const paragraphs = () => Array.from({ length: 60 }, (_, index) => html`<p>Bike ${index + 1} has eight gears.</p>`);
const Home = () => html`<main><h1>Harbour</h1><p><a id="next" href="/bikes">Bikes</a></p>${paragraphs()}</main>`;
const Bikes = () =>
  html`<main><h1>Bikes</h1><p><a id="home" href="/">Home</a></p><p><label>Name <input id="name"></label></p>${paragraphs()}</main>`;

render(
  () =>
    createComponent(Router, {
      get children() {
        return [
          createComponent(Route, { path: "/", component: Home }),
          createComponent(Route, { path: "/bikes", component: Bikes }),
        ];
      },
    }),
  document.getElementById("app"),
);
