/*
 * Typical hand-written code: controllers with Lucid models and VineJS, as in the AdonisJS
 * documentation.
 */
import { serve } from './serve.js'

await serve(() => import('./start/routes.js'))
