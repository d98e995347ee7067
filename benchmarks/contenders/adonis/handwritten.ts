/*
 * What people write by hand: controllers with Lucid models and VineJS, as AdonisJS's documentation
 * teaches.
 */
import { serve } from './serve.js'

await serve(() => import('./start/routes.js'))
