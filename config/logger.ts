import env from '#start/env'
import app from '@adonisjs/core/services/app'
import { defineConfig, syncDestination } from '@adonisjs/core/logger'

const loggerConfig = defineConfig({
  default: 'app',
  loggers: {
    app: {
      enabled: true,
      name: 'atrium',
      level: env.get('LOG_LEVEL'),
      /* Lines for people, in production lines of JSON: written synchronously, as a thread for it costs each start 100 ms. */
      destination: app.inProduction ? undefined : await syncDestination(),
    },
  },
})

export default loggerConfig

declare module '@adonisjs/core/types' {
  export interface LoggersList extends InferLoggers<typeof loggerConfig> {}
}
