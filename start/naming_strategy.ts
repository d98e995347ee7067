/*
 * Names in JSON and in addresses of the API are those of the columns: `last_sold`. Lucid's own default is
 * `lastSold`. A model takes its names while its class is defined, so adonisrc.ts imports this file before
 * anything else is loaded.
 */
import { BaseModel, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'

BaseModel.namingStrategy = new SnakeCaseNamingStrategy()
