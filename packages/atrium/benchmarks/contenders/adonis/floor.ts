/*
 * The floor: AdonisJS routes with bare prepared statements. No model, no query builder.
 */
import { serve } from './serve.js'

await serve(() => import('./start/floor_routes.js'))
