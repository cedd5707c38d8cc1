import Dialog from "@mui/material/Dialog";
import { renderRoutes } from "./router-page.jsx";

renderRoutes(() => (
  <Dialog open transitionDuration={0} aria-label="Sizes">
    <input id="inner" aria-label="Size" />
  </Dialog>
));
