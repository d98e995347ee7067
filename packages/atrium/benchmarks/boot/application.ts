/* The application with generated models: as a web server, or for one `ace` command. */
import '../../../../bin/compile_cache.js'
import { createNodeServer } from 'adonis-atrium/server'
import rcFile from '../../../../adonisrc.js'
import { createIgnitor } from '../helpers/ignitor.js'
import { tellStart } from './tell_start.js'

const ignitor = createIgnitor((app) => {
  app.rcContents({ ...rcFile, directories: { models: process.env.BENCH_MODELS! } })
  /* The endpoints would require a token in production. */
  app.booted(() => app.config.set('crud.access', 'public'))
})

await tellStart(ignitor, createNodeServer as never)
