/* Finds the browser for the tests of the pages. This runs on older Node.js, too. */
import { accessSync, constants } from 'node:fs'

/** The first is Chromium without its windows and menus: a page opens in a quarter of the processor time. */
const USUAL_PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Path of a Chromium: that of CHROMIUM_PATH, else one in the usual places; undefined if there is none. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH
  return (named ? [named] : USUAL_PLACES).find(isExecutable)
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
