#pragma once

// No function of this library is called.
