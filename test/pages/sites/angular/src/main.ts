import { Component } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { provideRouter, RouterLink, RouterOutlet, withInMemoryScrolling } from "@angular/router";

const bikes = Array.from({ length: 60 }, (_, index) => index + 1);

@Component({
  selector: "app-home",
  imports: [RouterLink],
  template: `<main>
    <h1>Harbour</h1>
    <p><a id="next" routerLink="/bikes">Bikes</a></p>
    @for (bike of bikes; track bike) { <p>Bike {{ bike }} has eight gears.</p> }
  </main>`,
})
class Home {
  readonly bikes = bikes;
}

@Component({
  selector: "app-bikes",
  imports: [RouterLink],
  template: `<main>
    <h1>Bikes</h1>
    <p><a id="home" routerLink="/">Home</a></p>
    <p><label>Name <input id="name" /></label></p>
    @for (bike of bikes; track bike) { <p>Bike {{ bike }} has eight gears.</p> }
  </main>`,
})
class Bikes {
  readonly bikes = bikes;
}

@Component({ selector: "app-root", imports: [RouterOutlet], template: "<router-outlet />" })
class App {}

const routes = [
  { path: "", component: Home },
  { path: "bikes", component: Bikes },
];

await bootstrapApplication(App, {
  providers: [provideRouter(routes, withInMemoryScrolling({ scrollPositionRestoration: "enabled" }))],
});
