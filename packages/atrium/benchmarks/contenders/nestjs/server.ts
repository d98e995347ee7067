/*
 * NestJS with @dataui/crud and TypeORM, a generator of such endpoints.
 */
import 'reflect-metadata'
import { ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { DataSource } from 'typeorm'
import { PRAGMAS } from '../bare/driver.js'
import { ApplicationModule } from './application_module.js'

const application = await NestFactory.create(ApplicationModule, { logger: false })
application.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }))
const source = application.get(DataSource)
if (source.options.type !== 'postgres') {
  for (const pragma of PRAGMAS) await source.query(`PRAGMA ${pragma}`)
}
await application.listen(Number(process.env.PORT), process.env.HOST!)
