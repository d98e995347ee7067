/*
 * Hand-written code with the promises of the application: transaction, lock, log and events.
 */
import { serve } from './serve.js'

await serve(() => import('./start/logged_routes.js'))
