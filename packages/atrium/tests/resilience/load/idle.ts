/* An idle server: its event loop delay is that of the machine. */
import { createServer } from 'node:http'

createServer((_request, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1')
