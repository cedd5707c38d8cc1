/** On screens this narrow the panel covers the whole page. The style sheets use the same width. */
export const SMALL_SCREEN = "(max-width: 480px)";
