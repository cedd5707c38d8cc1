import { renderRoutes } from "./router-page.jsx";

renderRoutes(() => null);
