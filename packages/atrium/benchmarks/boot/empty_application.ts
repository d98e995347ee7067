/* An AdonisJS application as it is created, of the same packages: no model, one route. */
import 'reflect-metadata'
import { Ignitor } from '@adonisjs/core'
import rcFile from '../contenders/adonis/adonisrc.js'
import { tellStart } from './tell_start.js'

const APP_ROOT = new URL('../contenders/adonis/', import.meta.url)

const ignitor = new Ignitor(APP_ROOT, {
  importer: (path) => import(path.startsWith('.') ? new URL(path, APP_ROOT).href : path),
}).tap((app) => {
  app.rcContents({
    ...rcFile,
    commands: [() => import('@adonisjs/core/commands'), () => import('@adonisjs/lucid/commands')],
  })
  app.starting(async () => {
    const { default: router } = await import('@adonisjs/core/services/router')
    router.get('/api/thing-1s/1', () => ({ hello: 'world' }))
  })
})

await tellStart(ignitor)
